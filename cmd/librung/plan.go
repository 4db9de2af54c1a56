package main

// #include "door.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

//export go_plan
func go_plan(name, text *C.char, size C.size_t, opts *C.char, plan *C.rung_handle) C.int32_t {
	return guarded(func() error {
		if err := given("a name", name); err != nil {
			return err
		}
		if err := given("the plan", plan); err != nil {
			return err
		}
		var m *door.Model
		var err error
		if text == nil && size == 0 {
			m, err = door.Open(context.Background(), C.GoString(name), options(opts))
		} else {
			var b []byte
			if b, err = taken(text, size); err == nil {
				m, err = door.Read(context.Background(), C.GoString(name), b, options(opts))
			}
		}
		if err != nil {
			return err
		}
		return keep(plan, m)
	})
}

//export go_sizes
func go_sizes(plan C.rung_handle, sizes *C.int64_t, n C.size_t) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("the sizes", sizes); err != nil {
			return err
		}
		if n > C.RUNG_SIZES {
			return refuse(door.Size, "there are %d sizes, not %d", C.RUNG_SIZES, uint64(n))
		}
		z := m.Sizes()
		all := [C.RUNG_SIZES]int{
			z.Bodies, z.Joints, z.Couplings, z.Forces, z.State, z.Angles, z.Internal, z.Bearings, z.Constraints,
		}
		to := unsafe.Slice(sizes, int(n))
		for i := range to {
			to[i] = C.int64_t(all[i])
		}
		return nil
	})
}

//export go_knob
func go_knob(plan C.rung_handle, path *C.char, knob *C.int64_t) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("a path", path); err != nil {
			return err
		}
		if err := given("the knob", knob); err != nil {
			return err
		}
		i, err := m.KnobAt(C.GoString(path))
		if err != nil {
			return err
		}
		*knob = C.int64_t(i)
		return nil
	})
}

//export go_initial
func go_initial(plan C.rung_handle, state *C.double, n C.size_t) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		x, err := floats(state, n)
		if err != nil {
			return err
		}
		return m.InitialTo(x)
	})
}

//export go_angles
func go_angles(plan C.rung_handle, states *C.double, rows, n C.size_t) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		x, err := table(m, states, rows, n)
		if err != nil {
			return err
		}
		return m.AnglesTo(int(rows), x)
	})
}

//export go_close
func go_close(plan C.rung_handle, state *C.double, n C.size_t, opts *C.char) C.int32_t {
	return guarded(func() error {
		o, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		x, err := floats(state, n)
		if err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error { return m.CloseTo(ctx, x, options(opts)) })
	})
}

// tell hands out a text about a model and a state, which is moved or read.
func tell(
	plan C.rung_handle, what *C.char, array func(*C.double, C.size_t) ([]float64, error), state *C.double, n C.size_t,
	text **C.char, size *C.size_t,
	write func(ctx context.Context, m *door.Model, what string, state []float64) ([]byte, error),
) C.int32_t {
	return guarded(func() error {
		o, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("what", what); err != nil {
			return err
		}
		x, err := array(state, n)
		if err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error {
			return hand(text, size, func() ([]byte, error) { return write(ctx, m, C.GoString(what), x) })
		})
	})
}

//export go_document
func go_document(plan C.rung_handle, what, opts *C.char, state *C.double, n C.size_t, text **C.char, size *C.size_t) C.int32_t {
	return tell(plan, what, perhaps, state, n, text, size, func(ctx context.Context, m *door.Model, what string, x []float64) ([]byte, error) {
		return m.Document(ctx, what, x, options(opts))
	})
}

//export go_move
func go_move(plan C.rung_handle, what, opts *C.char, state *C.double, n C.size_t, text **C.char, size *C.size_t) C.int32_t {
	return tell(plan, what, floats, state, n, text, size, func(ctx context.Context, m *door.Model, what string, x []float64) ([]byte, error) {
		return m.Move(ctx, what, x, options(opts))
	})
}
