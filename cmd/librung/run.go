package main

// #include "door.h"
import "C"

import (
	"context"
	"encoding/json"

	"github.com/rung-mbd/rung/door"
)

// go_run implements rung_run (rung.h): it creates a run of a plan.
//
//export go_run
func go_run(plan C.rung_handle, state *C.double, n C.size_t, opts *C.char, run *C.rung_handle) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("the run", run); err != nil {
			return err
		}
		x, err := perhaps(state, n)
		if err != nil {
			return err
		}
		r, err := m.NewRun(x, options(opts))
		if err != nil {
			return err
		}
		return keep(run, r)
	})
}

// go_run_to implements rung_run_to (rung.h): it continues a run to a time, or until its budget is used up.
//
//export go_run_to
func go_run_to(run C.rung_handle, t, budget C.double) C.int32_t {
	return use(run, func(o *object, r *door.Run) error {
		most, err := door.Budget(float64(budget))
		if err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error { return r.To(ctx, float64(t), most) })
	})
}

// go_run_state implements rung_run_state (rung.h): it stores the state of a run.
//
//export go_run_state
func go_run_state(run C.rung_handle, state *C.double, n C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error {
		x, err := floats(state, n)
		if err != nil {
			return err
		}
		return r.StateTo(x)
	})
}

// go_run_rows implements rung_run_rows (rung.h): it hands out the oldest rows that a run keeps.
//
//export go_run_rows
func go_run_rows(run C.rung_handle, rows *C.double, numbers C.size_t, taken *C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error {
		if err := given("the number of rows", taken); err != nil {
			return err
		}
		if rows == nil {
			*taken = C.size_t(r.RowsLeft())
			return nil
		}
		x, err := floats(rows, numbers)
		if err != nil {
			return err
		}
		n, err := r.TakeRows(x)
		*taken = C.size_t(n)
		return err
	})
}

// go_run_columns implements rung_run_columns (rung.h): it stores the count of numbers in a row of a run.
//
//export go_run_columns
func go_run_columns(run C.rung_handle, columns *C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error {
		if err := given("the number of columns", columns); err != nil {
			return err
		}
		names, _ := r.Columns()
		*columns = C.size_t(len(names))
		return nil
	})
}

// go_run_document implements rung_run_document (rung.h): it hands out a document about a run.
//
//export go_run_document
func go_run_document(run C.rung_handle, what *C.char, text **C.char, size *C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error {
		if err := given("what", what); err != nil {
			return err
		}
		return hand(text, size, func() ([]byte, error) {
			switch w := C.GoString(what); w {
			case "columns":
				names, units := r.Columns()
				return json.Marshal(map[string][]string{"names": names, "units": units})
			case "stats":
				return r.Document()
			default:
				return nil, refuse(door.Input, "no document %q of a run; there are columns and stats", w)
			}
		})
	})
}

// go_run_save implements rung_run_save (rung.h): it hands out the saved state of a run.
//
//export go_run_save
func go_run_save(run C.rung_handle, bytes **C.char, size *C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error { return hand(bytes, size, r.Save) })
}

// go_run_load implements rung_run_load (rung.h): it continues a run from a saved state.
//
//export go_run_load
func go_run_load(run C.rung_handle, bytes *C.char, size C.size_t) C.int32_t {
	return use(run, func(_ *object, r *door.Run) error {
		b, err := taken(bytes, size)
		if err != nil {
			return err
		}
		return r.Load(b)
	})
}
