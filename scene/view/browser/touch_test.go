package browser

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// fingers puts fingers on the page at places, moves them, or takes them away where there are none.
func (p *page) fingers(kind input.DispatchTouchEventType, at ...[2]float64) {
	p.t.Helper()
	points := []*input.TouchPoint{}
	for i, x := range at {
		id := float64(i)
		points = append(points, &input.TouchPoint{X: x[0], Y: x[1], ID: &id})
	}
	p.run(call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}))
}

// TestTouch: a finger turns the view; two zoom it by how far they go apart, and shift it with their middle.
func TestTouch(t *testing.T) {
	whole(t)
	p := ballPage(t, 600, 700)
	const look = "[rung.camera.azimuth, rung.camera.elevation, rung.camera.distance, ...rung.camera.target]"
	first := value[[6]float64](p, look)
	p.fingers(input.DispatchTouchEventTypeTouchStart, [2]float64{60, 100})
	p.fingers(input.DispatchTouchEventTypeTouchMove, [2]float64{90, 100})
	p.fingers(input.DispatchTouchEventTypeTouchMove, [2]float64{160, 150})
	p.fingers(input.DispatchTouchEventTypeTouchEnd)
	turned := value[[6]float64](p, look)
	if d := first[0] - turned[0]; math.Abs(d-0.8) > 0.3 {
		t.Errorf("100 pixels to the right turn by %v rad, not 0.8", d)
	}
	if turned[1] <= first[1] || turned[2] != first[2] {
		t.Errorf("one finger downwards takes the eye from %v to %v", first, turned)
	}
	p.fingers(input.DispatchTouchEventTypeTouchStart, [2]float64{100, 200}, [2]float64{200, 200})
	p.fingers(input.DispatchTouchEventTypeTouchMove, [2]float64{80, 200}, [2]float64{220, 200})
	p.fingers(input.DispatchTouchEventTypeTouchMove, [2]float64{50, 200}, [2]float64{250, 200})
	p.fingers(input.DispatchTouchEventTypeTouchEnd)
	zoomed := value[[6]float64](p, look)
	if part := zoomed[2] / turned[2]; math.Abs(part-0.5) > 0.1 {
		t.Errorf("fingers twice as far apart take the eye to %v of its distance", part)
	}
	if zoomed[0] != turned[0] || zoomed[1] != turned[1] {
		t.Errorf("two fingers turn the view from %v to %v", turned, zoomed)
	}
	p.fingers(input.DispatchTouchEventTypeTouchStart, [2]float64{100, 200}, [2]float64{200, 200})
	p.fingers(input.DispatchTouchEventTypeTouchMove, [2]float64{130, 240}, [2]float64{230, 240})
	p.fingers(input.DispatchTouchEventTypeTouchEnd)
	shifted := value[[6]float64](p, look)
	if d := math.Hypot(math.Hypot(shifted[3]-zoomed[3], shifted[4]-zoomed[4]), shifted[5]-zoomed[5]); !(d > 0) {
		t.Errorf("two fingers that go along do not shift the view")
	}
}
