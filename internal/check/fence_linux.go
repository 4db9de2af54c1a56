package check

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// Fence is memory between two pages that may be neither read nor written. An access outside the memory ends the process.
type Fence struct{ middle []float64 }

// NewFence maps memory for this count of numbers, rounded up to whole pages. It is unmapped when the test ends.
func NewFence(t testing.TB, numbers int) *Fence {
	t.Helper()
	page := syscall.Getpagesize()
	size := (8*numbers + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, outside := range [][]byte{memory[:page], memory[page+size:]} {
		if err := syscall.Mprotect(outside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return &Fence{unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), size/8)}
}

// Random returns n random numbers next to a forbidden page: the page behind them if behind is set, and the page before them
// otherwise. A later call overwrites them.
func (f *Fence) Random(r *rand.Rand, n int, behind bool) []float64 {
	s := f.middle[:n:n]
	if behind {
		s = f.middle[len(f.middle)-n:]
	}
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return s
}
