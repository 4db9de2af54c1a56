//go:build js && wasm

package main

import (
	"fmt"
	"syscall/js"
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

// doubles are numbers that JavaScript has as a Uint8Array: memory of both is little-endian.
type doubles struct {
	what string
	x    []float64
	b    []byte // x as bytes
}

func newDoubles(what string, n int) *doubles {
	x := make([]float64, n)
	return &doubles{what, x, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*n)}
}

// fits refuses what is no Uint8Array of the length.
func (d *doubles) fits(v js.Value) error {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return &door.Error{Status: door.Input, Err: fmt.Errorf("rungwasm: %s is no Uint8Array", d.what)}
	}
	if n := v.Get("length").Int(); n != len(d.b) {
		err := fmt.Errorf("rungwasm: %s has %d numbers in %d bytes, not in %d", d.what, len(d.x), len(d.b), n)
		return &door.Error{Status: door.Size, Err: err}
	}
	return nil
}

func (d *doubles) take(v js.Value) error {
	if err := d.fits(v); err != nil {
		return err
	}
	js.CopyBytesToGo(d.b, v)
	return nil
}

func (d *doubles) put(v js.Value) error {
	if err := d.fits(v); err != nil {
		return err
	}
	js.CopyBytesToJS(v, d.b)
	return nil
}
