package main

// #include "door.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

// go_plan implements rung_plan (rung.h): it reads, checks and analyses a model and creates its plan.
//
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

// go_sizes implements rung_sizes (rung.h): it stores the first n sizes of a plan.
//
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

// go_knob implements rung_knob (rung.h): it stores the number of the knob with a path.
//
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

// go_initial implements rung_initial (rung.h): it stores the state of the model.
//
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

// go_angles implements rung_angles (rung.h): it computes the angles in rows of states anew from their poses.
//
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

// go_close implements rung_close (rung.h): it closes a state onto the joints.
//
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

// tell calls write with a model and a state of the caller, and hands out its text. array is floats or perhaps.
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

// go_document implements rung_document (rung.h): it hands out a document about the model at a state.
//
//export go_document
func go_document(plan C.rung_handle, what, opts *C.char, state *C.double, n C.size_t, text **C.char, size *C.size_t) C.int32_t {
	return tell(plan, what, perhaps, state, n, text, size, func(ctx context.Context, m *door.Model, what string, x []float64) ([]byte, error) {
		return m.Document(ctx, what, x, options(opts))
	})
}

// go_move implements rung_move (rung.h): it moves a state and hands out the document about it.
//
//export go_move
func go_move(plan C.rung_handle, what, opts *C.char, state *C.double, n C.size_t, text **C.char, size *C.size_t) C.int32_t {
	return tell(plan, what, floats, state, n, text, size, func(ctx context.Context, m *door.Model, what string, x []float64) ([]byte, error) {
		return m.Move(ctx, what, x, options(opts))
	})
}
