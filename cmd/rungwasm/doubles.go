//go:build js && wasm

package main

import (
	"fmt"
	"syscall/js"
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

// doubles is a buffer of numbers that are exchanged with JavaScript as a Uint8Array. Memory is little-endian on both sides.
type doubles struct {
	name string // of the array in messages
	x    []float64
	b    []byte // x as bytes
}

// newDoubles returns a buffer of n numbers.
func newDoubles(name string, n int) *doubles {
	x := make([]float64, n)
	return &doubles{name, x, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*n)}
}

// fits returns an error unless v is a Uint8Array of the length of the buffer.
func (d *doubles) fits(v js.Value) error {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return &door.Error{Status: door.Input, Err: fmt.Errorf("rungwasm: %s is no Uint8Array", d.name)}
	}
	if n := v.Get("length").Int(); n != len(d.b) {
		err := fmt.Errorf("rungwasm: %s has %d numbers in %d bytes, not in %d", d.name, len(d.x), len(d.b), n)
		return &door.Error{Status: door.Size, Err: err}
	}
	return nil
}

// take copies the numbers of v to the buffer.
func (d *doubles) take(v js.Value) error {
	if err := d.fits(v); err != nil {
		return err
	}
	js.CopyBytesToGo(d.b, v)
	return nil
}

// put copies the numbers of the buffer to v.
func (d *doubles) put(v js.Value) error {
	if err := d.fits(v); err != nil {
		return err
	}
	js.CopyBytesToJS(v, d.b)
	return nil
}
