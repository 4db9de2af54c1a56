package lanes

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/rung-mbd/rung/internal/check"
)

// TestStaysInside gathers and scatters numbers that end or begin at a page that may not be touched: a read or write
// outside ends the program.
func TestStaysInside(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		numbers, table := check.NewFence(t, 20*Width), check.NewFence(t, 20*Width)
		for n := 1; n <= 20; n++ {
			for _, behind := range []bool{false, true} {
				x, y := numbers.Random(r, n*Width, behind), table.Random(r, n*Width, behind)
				vectors := unsafe.Slice((*Vector)(unsafe.Pointer(&y[0])), n)
				var at [Width]int32
				for l := range at {
					at[l] = int32(l * n)
				}
				Gather(vectors, x, &at)
				Scatter(x, &at, vectors)
			}
		}
	})
}

// TestRowsStayInside does the same for the rows of a joint.
func TestRowsStayInside(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		var fences [14]*check.Fence
		for i := range fences {
			fences[i] = check.NewFence(t, 36)
		}
		for _, behind := range []bool{false, true} {
			for _, kind := range []Pins{Ball, Hinge, {Force: 3, Moments: 3}} {
				n := kind.Rows()
				m := func(i int) *[9]float64 { return (*[9]float64)(fences[i].Random(r, 9, behind)) }
				u := func(i int) *[3]float64 { return (*[3]float64)(fences[i].Random(r, 3, behind)) }
				p := Pin{
					EP: m(0), ES: m(1), OmegaP: u(2), OmegaS: u(3), Axes: m(4), OriginP: u(5), OriginS: u(6),
					ComP: u(7), ComS: u(8), Weight: (*[6]float64)(fences[9].Random(r, 6, behind)), Base: fences[10].Random(r, n, behind),
				}
				PinRows(fences[11].Random(r, 6*n, behind), fences[12].Random(r, n, behind), fences[13].Random(r, n, behind), &p, kind)
			}
		}
	})
}
