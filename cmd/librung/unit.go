package main

// #include "door.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/fmu"
)

//export go_unit
func go_unit(resources, token *C.char, unit *C.rung_handle) C.int32_t {
	return opened(fmu.Open, resources, token, unit)
}

//export go_unit_exchange
func go_unit_exchange(resources, token *C.char, unit *C.rung_handle) C.int32_t {
	return opened(fmu.OpenExchange, resources, token, unit)
}

// opener is fmu.Open or fmu.OpenExchange.
type opener func(ctx context.Context, resources, token string) (*fmu.Unit, error)

// opened makes an instance.
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

//export go_unit_start
func go_unit_start(unit C.rung_handle, time, tolerance C.double) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.Start(float64(time), float64(tolerance)) })
}

// variables returns the references and values of a caller.
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

//export go_unit_step
func go_unit_step(unit C.rung_handle, time, step C.double) C.int32_t {
	return use(unit, func(o *object, u *fmu.Unit) error {
		return o.during(func(ctx context.Context) error { return u.Step(ctx, float64(time), float64(step)) })
	})
}

//export go_unit_reset
func go_unit_reset(unit C.rung_handle) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.Reset() })
}

//export go_unit_save
func go_unit_save(unit C.rung_handle, bytes **C.char, size *C.size_t) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return hand(bytes, size, u.Save) })
}

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

//export go_unit_time
func go_unit_time(unit C.rung_handle, time C.double) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error { return u.SetTime(float64(time)) })
}

// filled calls a function of a unit with an array of numbers.
func filled(unit C.rung_handle, x *C.double, n C.size_t, f func(u *fmu.Unit, x []float64) error) C.int32_t {
	return use(unit, func(_ *object, u *fmu.Unit) error {
		list, err := floats(x, n)
		if err != nil {
			return err
		}
		return f(u, list)
	})
}

//export go_unit_set_states
func go_unit_set_states(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).SetStates)
}

//export go_unit_states
func go_unit_states(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).StatesTo)
}

//export go_unit_derivatives
func go_unit_derivatives(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).DerivativesTo)
}

//export go_unit_nominals
func go_unit_nominals(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).NominalsTo)
}

//export go_unit_indicators
func go_unit_indicators(unit C.rung_handle, x *C.double, n C.size_t) C.int32_t {
	return filled(unit, x, n, (*fmu.Unit).IndicatorsTo)
}

// answered calls a function of a unit that says yes or no.
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

//export go_unit_completed
func go_unit_completed(unit C.rung_handle, event *C.int64_t) C.int32_t {
	return answered(unit, event, (*fmu.Unit).Completed)
}

//export go_unit_choose
func go_unit_choose(unit C.rung_handle, changed *C.int64_t) C.int32_t {
	return answered(unit, changed, (*fmu.Unit).Choose)
}
