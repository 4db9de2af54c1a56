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

// call is what a function of an object does.
type call func(a []js.Value) (any, error)

// function makes f a function for JavaScript, which returns {value} or {error}; a panic is an error of the status Bug.
// It takes memory until it is released.
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

func wrong(err error) map[string]any { return map[string]any{"error": string(door.Details(err))} }

// object is what JavaScript has of a thing, with functions that end with it.
type object struct {
	fields map[string]any
	funcs  []js.Func
}

// add gives the object a function of JavaScript that calls f. With fewer arguments it throws a *door.Error.
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

// release ends the functions of an object, once the call that does so has returned.
func (o *object) release() {
	go func() {
		for _, f := range o.funcs {
			f.Release()
		}
	}()
}

// text returns argument i as a text, none if it is missing.
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

// read makes a model that does not move.
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

// open makes a model that moves.
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
		go d.Close() // which may wait for a timer, and so for what can come only when this call has returned
		o.release()
		return true, nil
	})
	return o.fields, o.numbers(d.Model())
}

// numbers adds what a model computes on arrays.
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

// run is what JavaScript has of a run. It ends its functions by close.
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
