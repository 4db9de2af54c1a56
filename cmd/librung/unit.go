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
		u, err := fmu.Open(context.Background(), C.GoString(resources), t)
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
