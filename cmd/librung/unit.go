package main

// #include "door.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/fmu"
)

// go_unit implements rung_unit (rung.h): it creates an instance of a functional mock-up unit for co-simulation.
//
//export go_unit
func go_unit(resources, token *C.char, unit *C.rung_handle) C.int32_t {
	return opened(fmu.Open, resources, token, unit)
}

// go_unit_exchange implements rung_unit_exchange (rung.h): it creates an instance of a functional mock-up unit for model exchange.
//
//export go_unit_exchange
func go_unit_exchange(resources, token *C.char, unit *C.rung_handle) C.int32_t {
	return opened(fmu.OpenExchange, resources, token, unit)
}

// opener is fmu.Open or fmu.OpenExchange.
type opener func(ctx context.Context, resources, token string) (*fmu.Unit, error)

// opened makes an instance of a unit by open, and stores its handle. token may be null.
func opened(open opener, resources, token *C.char, unit *C.rung_handle) C.int32_t {
	return guarded(func() error {
		if err := given("the folder", resources); err != nil {
			return err
		}
		if err := given("the unit", unit); err != nil {
			return err
		}
		var t string
		if token != nil {
			t = C.GoString(token)
		}
		u, err := open(context.Background(), C.GoString(resources), t)
		if err != nil {
			return err
		}
		return keep(unit, u)
	})
}

// go_unit_start implements rung_unit_start (rung.h): it starts a unit at a time, with a tolerance.
//
//export go_unit_start
func go_unit_start(unit C.rung_handle, time, tolerance C.double) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.Start(float64(time), float64(tolerance)) })
}

// variables returns the arrays of value references and values of the caller.
func variables(refs *C.uint32_t, values *C.double, n C.size_t) ([]uint32, []float64, error) {
	x, err := floats(values, n)
	if err != nil {
		return nil, nil, err
	}
	if refs == nil && n > 0 {
		return nil, nil, refuse(door.Input, "no array of %d value references", uint64(n))
	}
	return unsafe.Slice((*uint32)(refs), int(n)), x, nil
}

// go_unit_set implements rung_unit_set (rung.h): it sets variables of a unit.
//
//export go_unit_set
func go_unit_set(unit C.rung_handle, refs *C.uint32_t, values *C.double, n C.size_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		r, x, err := variables(refs, values, n)
		if err != nil {
			return err
		}
		return u.Set(r, x)
	})
}

// go_unit_get implements rung_unit_get (rung.h): it stores values of variables of a unit.
//
//export go_unit_get
func go_unit_get(unit C.rung_handle, refs *C.uint32_t, values *C.double, n C.size_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		r, x, err := variables(refs, values, n)
		if err != nil {
			return err
		}
		return u.GetTo(x, r)
	})
}

// go_unit_step implements rung_unit_step (rung.h): it moves a unit on by a step.
//
//export go_unit_step
func go_unit_step(unit C.rung_handle, time, step C.double) C.int32_t {
	return use(unit, func(o *object, u *fmu.Unit) error {
		return o.during(func(ctx context.Context) error { return u.Step(ctx, float64(time), float64(step)) })
	})
}

// go_unit_reset implements rung_unit_reset (rung.h): it takes a unit back to its initial state.
//
//export go_unit_reset
func go_unit_reset(unit C.rung_handle) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.Reset() })
}

// go_unit_save implements rung_unit_save (rung.h): it hands out the saved state of a unit.
//
//export go_unit_save
func go_unit_save(unit C.rung_handle, bytes **C.char, size *C.size_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return hand(bytes, size, u.Save) })
}

// go_unit_load implements rung_unit_load (rung.h): it continues a unit from a saved state.
//
//export go_unit_load
func go_unit_load(unit C.rung_handle, bytes *C.char, size C.size_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		b, err := taken(bytes, size)
		if err != nil {
			return err
		}
		return u.Load(b)
	})
}

// go_unit_sizes implements rung_unit_sizes (rung.h): it stores the numbers of states and indicators of a unit.
//
//export go_unit_sizes
func go_unit_sizes(unit C.rung_handle, states, indicators *C.int64_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		if err := given("the number of states", states); err != nil {
			return err
		}
		if err := given("the number of indicators", indicators); err != nil {
			return err
		}
		*states, *indicators = C.int64_t(u.States()), C.int64_t(u.Gaps())
		return nil
	})
}

// go_unit_time implements rung_unit_time (rung.h): it sets the time of a unit.
//
//export go_unit_time
func go_unit_time(unit C.rung_handle, time C.double) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.SetTime(float64(time)) })
}

// filled calls a method of a unit with an array of the caller.
func filled(unit C.rung_handle, x *C.double, n C.size_t, f func(u *fmu.Unit, x []float64) error) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		list, err := floats(x, n)
		if err != nil {
			return err
		}
		return f(u, list)
	})
}

// go_unit_set_states implements rung_unit_set_states (rung.h): it sets the states of a unit.
//
//export go_unit_set_states
func go_unit_set_states(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).SetStates)
}

// go_unit_states implements rung_unit_states (rung.h): it stores the states of a unit.
//
//export go_unit_states
func go_unit_states(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).StatesTo)
}

// go_unit_derivatives implements rung_unit_derivatives (rung.h): it stores the derivatives of the states of a unit.
//
//export go_unit_derivatives
func go_unit_derivatives(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).DerivativesTo)
}

// go_unit_nominals implements rung_unit_nominals (rung.h): it stores the nominal values of the states of a unit.
//
//export go_unit_nominals
func go_unit_nominals(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).NominalsTo)
}

// go_unit_indicators implements rung_unit_indicators (rung.h): it stores the event indicators of a unit.
//
//export go_unit_indicators
func go_unit_indicators(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).IndicatorsTo)
}

// answered calls a method of a unit and stores its answer as 1 or 0.
func answered(unit C.rung_handle, yes *C.int64_t, f func(u *fmu.Unit, ctx context.Context) (bool, error)) C.int32_t {
	return use(unit, func(o *object, u *fmu.Unit) error {
		if err := given("the answer", yes); err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error {
			is, err := f(u, ctx)
			if *yes = 0; is {
				*yes = 1
			}
			return err
		})
	})
}

// go_unit_completed implements rung_unit_completed (rung.h): it tells a unit that a step is accepted, and stores whether an
// event is wanted.
//
//export go_unit_completed
func go_unit_completed(unit C.rung_handle, event *C.int64_t) C.int32_t {
	return answered(unit, event, (*fmu.Unit).Completed)
}

// go_unit_choose implements rung_unit_choose (rung.h): it chooses the coordinates of a unit, and stores whether the states are others.
//
//export go_unit_choose
func go_unit_choose(unit C.rung_handle, changed *C.int64_t) C.int32_t {
	return answered(unit, changed, (*fmu.Unit).Choose)
}
