package main

// #include "door.h"
import "C"

import (
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

// go_solver implements rung_solver (rung.h): it creates a solver of a plan.
//
//export go_solver
func go_solver(plan C.rung_handle, solver *C.rung_handle) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("the solver", solver); err != nil {
			return err
		}
		return keep(solver, m.NewSolver())
	})
}

// go_accel implements rung_accel (rung.h): it solves at a state and stores the accelerations.
//
//export go_accel
func go_accel(solver C.rung_handle, state *C.double, n C.size_t, acc *C.double, m C.size_t) (status C.int32_t) {
	o, s, err := enter[*door.Solver](solver) // as use does, but without a closure, which takes some time in a loop
	if err != nil {
		return say(err)
	}
	defer o.done(&status)
	x, err := floats(state, n)
	if err != nil {
		return say(err)
	}
	a, err := floats(acc, m)
	if err != nil {
		return say(err)
	}
	if err := s.AccelerationsTo(a, x); err != nil {
		return say(err)
	}
	return C.RUNG_OK
}

// go_wrenches implements rung_wrenches (rung.h): it stores the joints' wrenches of the last solution.
//
//export go_wrenches
func go_wrenches(solver C.rung_handle, wrenches *C.double, m C.size_t) C.int32_t {
	return use(solver, func(_ *object, s *door.Solver) error {
		w, err := floats(wrenches, m)
		if err != nil {
			return err
		}
		return s.WrenchesTo(w)
	})
}

// settable is an object with knobs: a solver or a run.
type settable interface {
	Set(knobs []int, values []float64) error
}

// mostSet is the largest number of knobs that are set at once.
const mostSet = 1 << 24

// go_set implements rung_set (rung.h): it sets knobs of a solver or a run.
//
//export go_set
func go_set(h C.rung_handle, knobs *C.int64_t, values *C.double, n C.size_t) C.int32_t {
	return use(h, func(_ *object, s settable) error {
		x, err := floats(values, n)
		if err != nil {
			return err
		}
		if knobs == nil && n > 0 {
			return refuse(door.Input, "a null pointer for %d knobs", uint64(n))
		}
		if n > mostSet {
			return refuse(door.Size, "%d knobs at once, and the most are %d", uint64(n), mostSet)
		}
		list := make([]int, n)
		for i, k := range unsafe.Slice(knobs, int(n)) {
			list[i] = int(k)
		}
		return s.Set(list, x)
	})
}
