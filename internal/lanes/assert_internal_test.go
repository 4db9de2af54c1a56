package lanes

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAssertions calls the checks of the build tag check.
func TestAssertions(t *testing.T) {
	z := func(n int) []float64 { return make([]float64, n) }
	assert.NotPanics(t, func() { assertPin(z(30), z(5), z(5), &Pin{Base: z(5)}, Hinge) })
	assert.PanicsWithValue(t, badLength, func() { assertPin(z(29), z(5), z(5), &Pin{Base: z(5)}, Hinge) })
	assert.PanicsWithValue(t, badLength, func() { assertPin(z(30), z(4), z(5), &Pin{Base: z(5)}, Hinge) })
	assert.PanicsWithValue(t, badLength, func() { assertPin(z(30), z(5), z(4), &Pin{Base: z(5)}, Hinge) })
	assert.PanicsWithValue(t, badLength, func() { assertPin(z(30), z(5), z(5), &Pin{Base: z(4)}, Hinge) })
	assert.PanicsWithValue(t, badSize, func() { assertPin(z(30), z(5), z(5), &Pin{Base: z(5)}, Pins{Moments: 4}) })

	var at [Width]int32
	at[3] = 4
	assert.NotPanics(t, func() { assertLanes(make([]Vector, 2), z(6), &at) })
	assert.PanicsWithValue(t, badLength, func() { assertLanes(make([]Vector, 2), z(5), &at) })
	assert.PanicsWithValue(t, badSize, func() { assertLanes(nil, z(5), &at) })
}

// TestDoesNotAllocate calls every kind of kernel.
func TestDoesNotAllocate(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		var zero [3]float64
		var body, up Body
		var joint Joint
		var fixed BodyConst
		var pins JointConst
		var six [6]Vector
		var at [Width]int32
		x := make([]float64, 36)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			Gather(body.State[:], x, &at)
			Load(&body, &fixed, &zero)
			Rotate(&body, &up)
			HingeBias(&body, &fixed, &up)
			Particular(&six, &body, &fixed, &up)
			OwnDirection(&six, &body, &fixed)
			CarriedDirection(&six, &body, &fixed, &up)
			HingeRows(&joint, &pins)
			Products(joint.B[:], 1, joint.S[:], 5, &six)
			Recover(&six, body.E(), &fixed, &body.At)
			Scatter(x, &at, six[:])
		}))
	})
	eachKind(t, func(t *testing.T) {
		var axes, turn [9]float64
		var zero [3]float64
		var weight [6]float64
		x := make([]float64, 36)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			for _, kind := range []Pins{Ball, Hinge, {Force: 3, Moments: 3}} {
				p := Pin{
					EP: &turn, ES: &turn, OmegaP: &zero, OmegaS: &zero, Axes: &axes, OriginP: &zero, OriginS: &zero,
					ComP: &zero, ComS: &zero, Weight: &weight, Base: x[30:],
				}
				PinRows(x, x[20:], x[28:], &p, kind)
			}
		}))
	})
}
