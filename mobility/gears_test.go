package mobility_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/spatial"
)

// requireCounts compares the mobility and the number of redundant rows
// of the report and of the analysis with what theory says.
func requireCounts(t *testing.T, b *rung.Builder, mobile, redundant int) {
	t.Helper()
	m, err := b.Model()
	require.NoError(t, err)
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	require.Equal(t, mobile, r.Constraints.Mobility)
	require.Equal(t, redundant, r.Constraints.Redundant)
	named := 0
	for _, j := range r.Constraints.RedundantJoints {
		named += j.Rows
	}
	require.Equal(t, redundant, named+len(r.Constraints.RedundantCouplings))
	n := nearby(t, m)
	require.Equal(t, 6*len(m.Bodies)-mobile, n.Rank)
	require.Equal(t, n.Rank, n.Around, "rank next to the state")
	require.Empty(t, n.Appearing)
}

// wheel adds a wheel on a hinge through at.
func wheel(t *testing.T, b *rung.Builder, name string, from rung.Body, at, axis spatial.Vec3) (rung.Body, *build.Joint) {
	t.Helper()
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(0.1, 0.1, 0.1))
	require.NoError(t, err)
	w := b.Body(name, d, rung.At(at[0], at[1], at[2]))
	return w, b.Revolute(name, from, w, at, axis)
}

// TestAutomotiveDifferential: a pinion drives the ring gear on the cage. Each spider, on a pin of the cage, meshes with
// both side gears, which turn with the wheels. The wheels move independently, and each spider but one is redundant.
func TestAutomotiveDifferential(t *testing.T) {
	x, y := spatial.Vec3{1}, spatial.Vec3{0, 1}
	for _, spiders := range []int{1, 2, 4} {
		b := rung.NewBuilder("differential")
		_, pinion := wheel(t, b, "pinion", rung.World, spatial.Vec3{0.1, -0.2}, y)
		cage, c := wheel(t, b, "cage", rung.World, spatial.Vec3{}, x)
		_, left := wheel(t, b, "left", rung.World, spatial.Vec3{-0.1}, x)
		_, right := wheel(t, b, "right", rung.World, spatial.Vec3{0.1}, x)
		b.Couple("final drive", rung.Term{Joint: pinion, Factor: 11}, rung.Term{Joint: c, Factor: -41})
		for k := range spiders {
			s, cos := math.Sincos(2 * math.Pi * float64(k) / float64(spiders))
			out := spatial.Vec3{0, cos, s}
			_, spider := wheel(t, b, fmt.Sprint("spider ", k), cage, out.Scale(0.05), out)
			b.Couple(fmt.Sprint("left ", k), rung.Term{Joint: left, Factor: 16}, rung.Term{Joint: c, Factor: -16}, rung.Term{Joint: spider, Factor: 10})
			b.Couple(fmt.Sprint("right ", k), rung.Term{Joint: right, Factor: 16}, rung.Term{Joint: c, Factor: -16}, rung.Term{Joint: spider, Factor: -10})
		}
		requireCounts(t, b, 2, spiders-1)
	}
}

// TestPlanetaryTrain: of three planets between sun and ring, that is
// held, two are redundant. With a ring that turns the train has mobility 2.
func TestPlanetaryTrain(t *testing.T) {
	const zs, zp = 20.0, 16.0
	z := spatial.Vec3{0, 0, 1}
	for _, held := range []bool{true, false} {
		b := rung.NewBuilder("planetary")
		_, sun := wheel(t, b, "sun", rung.World, spatial.Vec3{}, z)
		carrier, c := wheel(t, b, "carrier", rung.World, spatial.Vec3{}, z)
		var ring *build.Joint
		if !held {
			_, ring = wheel(t, b, "ring", rung.World, spatial.Vec3{}, z)
		}
		for k := range 3 {
			s, cos := math.Sincos(2 * math.Pi * float64(k) / 3)
			_, planet := wheel(t, b, fmt.Sprint("planet ", k), carrier, spatial.Vec3{0.4 * cos, 0.4 * s}, z)
			b.Couple(fmt.Sprint("sun ", k), rung.Term{Joint: sun, Factor: zs}, rung.Term{Joint: c, Factor: -zs}, rung.Term{Joint: planet, Factor: zp})
			terms := []rung.Term{{Joint: c, Factor: zs + 2*zp}, {Joint: planet, Factor: zp}}
			if !held {
				terms = append(terms, rung.Term{Joint: ring, Factor: -zs - 2*zp})
			}
			b.Couple(fmt.Sprint("ring ", k), terms...)
		}
		requireCounts(t, b, map[bool]int{true: 1, false: 2}[held], 2)
	}
}

// TestGearedStrandbeest: a pair of Jansen's legs on one crank, which a
// wheel of a motor drives. Each loop of the plane has three redundant rows.
func TestGearedStrandbeest(t *testing.T) {
	const theta = 0.7
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("strandbeest")
	pins := map[spatial.Vec3][]rung.Body{}
	var places []spatial.Vec3
	rod := func(name string, p, q spatial.Vec3) rung.Body {
		r := b.Rod(name, 1, 0.01, p, q)
		for _, x := range []spatial.Vec3{p, q} {
			if pins[x] == nil {
				places = append(places, x)
			}
			pins[x] = append(pins[x], r)
		}
		return r
	}
	s, c := math.Sincos(theta)
	shaft, pin := spatial.Vec3{}, spatial.Vec3{0.15 * c, 0.15 * s}
	crank := rod("crank", shaft, pin)
	pivots := map[spatial.Vec3]bool{shaft: true}
	for _, side := range []float64{1, -1} {
		// The leg to the left, mirrored for the other.
		place := func(p spatial.Vec3) spatial.Vec3 { return spatial.Vec3{side * p[0], p[1]} }
		meet := func(p spatial.Vec3, r float64, q spatial.Vec3, u float64) spatial.Vec3 {
			line := q.Sub(p)
			n := line.Norm()
			along := (r*r - u*u + n*n) / (2 * n)
			x := line.Scale(1 / n)
			return p.Add(x.Scale(along)).Add(spatial.Vec3{x[1], -x[0]}.Scale(math.Sqrt(r*r - along*along)))
		}
		top, pivot := place(pin), spatial.Vec3{-0.38, -0.078}
		upper, lower := meet(top, 0.5, pivot, 0.415), meet(pivot, 0.393, top, 0.619)
		rear := meet(upper, 0.558, pivot, 0.401)
		ankle := meet(rear, 0.394, lower, 0.367)
		foot := meet(ankle, 0.657, lower, 0.49)
		pivots[place(pivot)] = true
		for i, r := range [][2]spatial.Vec3{{top, upper}, {top, lower}, {pivot, upper}, {pivot, rear}, {upper, rear}, {pivot, lower}, {rear, ankle}, {lower, ankle}, {ankle, foot}, {lower, foot}} {
			rod(fmt.Sprint("rod ", side, i), place(r[0]), place(r[1]))
		}
	}
	var drive *build.Joint
	joints := 1 // that of the motor
	for _, x := range places {
		list := pins[x]
		if pivots[x] {
			list = append([]rung.Body{rung.World}, list...)
		}
		for i, r := range list[1:] {
			j := b.Revolute(fmt.Sprint("pin ", joints, i), list[0], r, x, z)
			if r == crank {
				drive = j
			}
			joints++
		}
	}
	_, motor := wheel(t, b, "motor", rung.World, spatial.Vec3{0, 0.1}, z)
	require.NotNil(t, drive)
	b.Couple("gear", rung.Term{Joint: drive, Factor: 5}, rung.Term{Joint: motor, Factor: 1})
	const n = 22
	require.Equal(t, 1, 3*n-2*joints-1, "Grübler's count in the plane")
	requireCounts(t, b, 1, 3*(joints-n))
}
