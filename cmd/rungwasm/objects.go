//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/rung-mbd/rung/cmd/rungwasm/internal/desk"
	"github.com/rung-mbd/rung/door"
)

// call is the Go function behind a function of an object, with its arguments.
type call func(a []js.Value) (any, error)

// function returns a function for JavaScript that calls f and returns {value} or {error}; a panic is an error of the status Bug.
// The function holds memory until Release.
func function(f call) js.Func {
	return js.FuncOf(func(_ js.Value, a []js.Value) (out any) {
		defer func() {
			if r := recover(); r != nil {
				out = wrong(&door.Error{Status: door.Bug, Err: fmt.Errorf("rungwasm: panic: %v\n%s", r, debug.Stack())})
			}
		}()
		v, err := f(a)
		if err != nil {
			return wrong(err)
		}
		return map[string]any{"value": v}
	})
}

// wrong returns {error} for JavaScript.
func wrong(err error) map[string]any { return map[string]any{"error": string(door.Details(err))} }

// object is a JavaScript object under construction: its fields, and the functions among them, which release frees.
type object struct {
	fields map[string]any
	funcs  []js.Func
}

// add gives the object a function that calls f. A call with fewer arguments returns {error}, of the status Input.
func (o *object) add(name string, arguments int, f call) {
	made := function(func(a []js.Value) (any, error) {
		if len(a) < arguments {
			return nil, &door.Error{Status: door.Input, Err: fmt.Errorf("rungwasm: %s takes %d arguments, not %d", name, arguments, len(a))}
		}
		return f(a)
	})
	o.funcs = append(o.funcs, made)
	o.fields[name] = made
}

// release frees the functions of an object, in a goroutine, as a function may not be freed during its own call.
func (o *object) release() {
	go func() {
		for _, f := range o.funcs {
			f.Release()
		}
	}()
}

// text returns the argument i as a text; nil if it is missing or no string.
func text(a []js.Value, i int) []byte {
	if i >= len(a) || a[i].Type() != js.TypeString {
		return nil
	}
	return []byte(a[i].String())
}

// bytes returns a Uint8Array with a copy of b.
func bytes(b []byte) js.Value {
	to := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(to, b)
	return to
}

// read returns the object of a model that does not move (rung.read).
func read(a []js.Value) (any, error) {
	m, err := door.Read(context.Background(), string(text(a, 0)), text(a, 1), text(a, 2))
	if err != nil {
		return nil, err
	}
	o := &object{fields: map[string]any{}}
	o.add("document", 1, func(a []js.Value) (any, error) {
		b, err := m.Document(context.Background(), string(text(a, 0)), nil, text(a, 1))
		return string(b), err
	})
	o.add("close", 0, func([]js.Value) (any, error) {
		o.release()
		return true, nil
	})
	return o.fields, o.numbers(m)
}

// open returns the object of a model that moves (rung.open).
func open(a []js.Value) (any, error) {
	if len(a) < 4 || a[3].Type() != js.TypeObject {
		return nil, &door.Error{Status: door.Input, Err: errors.New("rungwasm: open without a page")}
	}
	page := a[3]
	d, err := desk.Open(context.Background(), string(text(a, 0)), text(a, 1), text(a, 2), desk.Page{
		Frame:  func(b []byte) { page.Call("frame", bytes(b)) },
		Status: func(b []byte) { page.Call("status", string(b)) },
		Ended:  func(err error) { page.Call("ended", err.Error()) },
	})
	if err != nil {
		return nil, err
	}
	o := &object{fields: map[string]any{"closed": d.Closed()}}
	o.add("document", 1, func(a []js.Value) (any, error) {
		b, err := d.Document(context.Background(), string(text(a, 0)), text(a, 1))
		return string(b), err
	})
	o.add("get", 1, func(a []js.Value) (any, error) {
		b, err := d.Get(context.Background(), string(text(a, 0)))
		if err != nil {
			return nil, err
		}
		return bytes(b), nil
	})
	o.add("send", 1, func(a []js.Value) (any, error) {
		d.Send(text(a, 0))
		return true, nil
	})
	o.add("close", 0, func([]js.Value) (any, error) {
		go d.Close() // it may wait for a timer, which the browser runs only after this call has returned
		o.release()
		return true, nil
	})
	return o.fields, o.numbers(d.Model())
}

// numbers adds the fields and functions of a model that compute with arrays: sizes, initial, accel and run.
func (o *object) numbers(m *door.Model) error {
	sizes, err := json.Marshal(m.Sizes())
	if err != nil {
		return err
	}
	o.fields["sizes"] = string(sizes)
	state, acc := newDoubles("state", m.Sizes().State), newDoubles("accelerations", 6*m.Sizes().Bodies)
	var solver *door.Solver
	o.add("initial", 1, func(a []js.Value) (any, error) {
		if err := m.InitialTo(state.x); err != nil {
			return nil, err
		}
		return true, state.put(a[0])
	})
	o.add("accel", 2, func(a []js.Value) (any, error) {
		if err := state.take(a[0]); err != nil {
			return nil, err
		}
		if solver == nil {
			solver = m.NewSolver()
		}
		if err := solver.AccelerationsTo(acc.x, state.x); err != nil {
			return nil, err
		}
		return true, acc.put(a[1])
	})
	o.add("run", 0, func(a []js.Value) (any, error) {
		r, err := m.NewRun(nil, text(a, 0))
		if err != nil {
			return nil, err
		}
		return run(r, m.Sizes().State), nil
	})
	return nil
}

// run returns the object of a run, whose states have size numbers. Its function close frees the functions.
func run(r *door.Run, size int) map[string]any {
	o, state := &object{fields: map[string]any{}}, newDoubles("state", size)
	o.add("to", 2, func(a []js.Value) (any, error) {
		budget, err := door.Budget(a[1].Float())
		if err != nil {
			return nil, err
		}
		err = r.To(context.Background(), a[0].Float(), budget)
		if door.StatusOf(err) == door.More {
			return true, nil
		}
		return false, err
	})
	o.add("time", 0, func([]js.Value) (any, error) { return r.Time(), nil })
	o.add("state", 1, func(a []js.Value) (any, error) {
		if err := r.StateTo(state.x); err != nil {
			return nil, err
		}
		return true, state.put(a[0])
	})
	o.add("document", 0, func([]js.Value) (any, error) {
		b, err := r.Document()
		return string(b), err
	})
	o.add("close", 0, func([]js.Value) (any, error) {
		o.release()
		return true, nil
	})
	return o.fields
}
