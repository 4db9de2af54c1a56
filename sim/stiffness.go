package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const (
	stiffEvery = 8   // steps of which one is looked at
	stiffLeast = 200 // steps of a run of which anything is said
	// stiffStep is the length of a step in units of 1/|λ| beyond which it does not follow a motion that passes or swings
	// with |λ|. Steps that follow all motions are of a few tenths, and dopri5 is unstable beyond 3.3.
	stiffStep = 1
)

// Stiffness tells that most steps of an explicit method are as short as they are to be stable, and not to be accurate: they
// are too long to follow the fastest motion of the mechanism, which has died out. Implicit methods, such as GeneralizedAlpha, take
// longer steps there.
type Stiffness struct {
	Share float64 // of the steps
	Rate  float64 // |λ| of the fastest motion, 1/s, at the last of these steps
	Body  string  // that has most of this motion
	Force string  // contact, or else spring, bushing or cable, that holds the body; "" if several of a kind do, or none
}

// tell returns what limits the steps of a run, and nil where nothing does, or too little is known.
func (v *stiff) tell(m *mechanism.Mechanism, stats *Stats) *Stiffness {
	looked := (stats.Steps + stiffEvery - 1) / stiffEvery
	if stats.Steps < stiffLeast || 2*stats.Stiff < looked || v.rate == 0 {
		return nil
	}
	return &Stiffness{Share: min(1, float64(stats.Stiff)/float64(looked)), Rate: v.rate, Body: m.BodyName(v.body), Force: holder(m, v.body)}
}

// holder returns the name of the one contact on a body, or of the one other force element with stiffness.
func holder(m *mechanism.Mechanism, body int) string {
	var names [2]string
	var count [2]int
	for i := range m.Forces {
		f, kind := &m.Forces[i], 1
		switch f.Kind {
		case model.ContactForce:
			kind = 0
		case model.SpringDamper, model.BushingForce, model.CableForce:
		default:
			continue
		}
		if int(f.A.Body) == body || int(f.B.Body) == body {
			names[kind] = f.Name
			count[kind]++
		}
	}
	for kind, n := range count {
		if n == 1 {
			return names[kind]
		}
		if n > 1 {
			return ""
		}
	}
	return ""
}

// stiff has the fastest motion that is known: its |λ|, 1/s, and the body that most of the steps have named.
type stiff struct {
	rate  float64
	body  int
	votes int
}

// stiffness returns h·|λ| of the fastest motion by which the last two stages of the step last tried differ, and the body whose
// acceleration differs most; 0 if the method has no two stages at the end of a step, and on ranks. The difference of the
// stages' states, x and v, and of their rates tell |λ| (Hairer & Wanner 1996 §IV.2). Of one motion a is λ·v and
// λ²·x. Where two motions mix, the larger of the two ratios may be of neither, so the smaller counts.
//
// Cost: two sums over the stages, no evaluation and no allocation.
func (k *RungeKutta) stiffness() (hl float64, body int) {
	last := len(k.tab.B) - 1
	if !k.tab.FSAL || last < 2 || k.tab.C[last-1] != 1 || !k.tried || k.all.all != nil {
		return 0, -1
	}
	w := k.weights
	for j := range w {
		w[j] = 0
		if j < last {
			w[j] = k.tab.A[last][j]
		}
		if j < last-1 {
			w[j] -= k.tab.A[last-1][j]
		}
	}
	h, L := k.t1-k.t0, k.tol.Length
	var X, V, A float64
	most := algebra.NewPeak(0)
	vel, acc, w := k.chosen(w)
	for i := range k.start {
		var x, v [6]float64
		sumTo(&x, w, vel, 6*i)
		sumTo(&v, w, acc, 6*i)
		a, b := (*[6]float64)(k.acc[last][6*i:]), (*[6]float64)(k.acc[last-1][6*i:])
		for c := range v {
			v[c] *= h
			x[c] *= h
		}
		d := [6]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]}
		X += square(&x, L)
		V += square(&v, L)
		own := square(&d, L)
		A += own
		most.Take(own, i)
	}
	if !(A > 0 && X > 0 && V > 0) {
		return 0, -1
	}
	return h * min(math.Sqrt(A/V), math.Sqrt(math.Sqrt(A/X))), most.At
}

// square returns the square of the length of x, whose linear part is in units of L.
func square(x *[6]float64, L float64) float64 {
	return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + (x[3]*x[3]+x[4]*x[4]+x[5]*x[5])/(L*L)
}

// lookAt looks at an accepted step h.
func (v *stiff) lookAt(stepper Stepper, stats *Stats, h float64) {
	k, ok := stepper.(stiffer)
	if !ok || stats.Steps%stiffEvery != 0 {
		return
	}
	hl, body := k.stiffness()
	if !(hl > stiffStep) {
		return
	}
	stats.Stiff++
	v.rate = hl / h
	switch { // the vote of Boyer and Moore
	case v.votes == 0:
		v.body, v.votes = body, 1
	case v.body == body:
		v.votes++
	default:
		v.votes--
	}
}
