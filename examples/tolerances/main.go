// Command tolerances makes 2048 four-bar linkages whose links deviate from their nominal lengths, and computes how far the point on
// the coupler deviates from its nominal curve. The linkage is Hoeken's: half of the curve is nearly straight. Linear propagation of
// errors has to give the same tolerance band.
//
// With the name of a file it writes the picture of the curve and its band there, as SVG.
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"os"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

const (
	draws     = 2048
	angles    = 72                 // of the crank, in a turn
	deviation = 0.1                // mm, standard deviation of each length
	tail      = 0.05               // probability beyond the band, on each side
	beyond    = 1.6448536269514722 // quantile of the standard normal law with the probability tail beyond it
	agree     = 0.05               // largest difference of the two bands, relative to the half width
)

// lengths are the lengths of the links, mm.
type lengths [5]float64

// The links in lengths. The ground is from the crank's shaft to the rocker's pivot; the arm is the coupler from the crank's pin to
// the point, the coupler from pin to pin.
const (
	ground = iota
	crank
	coupler
	rocker
	arm
)

var (
	names   = [...]string{"ground", "crank", "coupler", "rocker", "arm"}
	nominal = lengths{80, 40, 100, 100, 200}
)

// point is a point or vector in the plane, mm.
type point [2]float64

func (p point) add(s float64, q point) point { return point{p[0] + s*q[0], p[1] + s*q[1]} }
func (p point) dot(q point) float64          { return p[0]*q[0] + p[1]*q[1] }
func (p point) left() point                  { return point{-p[1], p[0]} } // turned by 90°
func (p point) unit() point                  { return point{}.add(1/math.Hypot(p[0], p[1]), p) }

// pose returns the pin of the crank, the knee (the pin of coupler and rocker) and the point on the coupler (tip) at an angle of the
// crank, by an intersection of circles.
func (l *lengths) pose(angle float64) (pin, knee, tip point) {
	sin, cos := math.Sincos(angle)
	pin = point{l[crank] * cos, l[crank] * sin}
	line := point{l[ground]}.add(-1, pin)
	n := math.Hypot(line[0], line[1])
	along := (l[coupler]*l[coupler] - l[rocker]*l[rocker] + n*n) / (2 * n)
	x := line.unit()
	knee = pin.add(along, x).add(math.Sqrt(l[coupler]*l[coupler]-along*along), x.left())
	return pin, knee, pin.add(l[arm]/l[coupler], knee.add(-1, pin))
}

// normal returns the unit normal n of the curve of l at an angle of the crank, and the derivatives, by each length, of the movement
// of the point along n.
//
// Let e be the unit vector along the coupler, and r the vector from the rocker's pivot to the knee, with r·r = rocker². The
// differential of this is r·(dpin + e·dcoupler + e⊥·coupler·dφ − dpivot) = rocker·drocker, which gives the turn dφ of the
// coupler. Then dtip = dpin + e·darm + e⊥·arm·dφ.
func (l *lengths) normal(angle float64) (n point, by lengths) {
	pin, knee, _ := l.pose(angle)
	e, r := knee.add(-1, pin).unit(), knee.add(-1, point{l[ground]})
	// moved returns the movement of the point, given the movement of the pin, the change of the arm (longer), and
	// lack = r·coupler·e⊥·dφ from the equation above.
	moved := func(pin point, longer, lack float64) point {
		turn := lack / (l[coupler] * r.dot(e.left()))
		return pin.add(longer, e).add(l[arm]*turn, e.left())
	}
	u := pin.unit()
	du := pin.left() // movement of the pin per radian of the crank
	n = moved(du, 0, -r.dot(du)).unit().left()
	by[ground] = n.dot(moved(point{}, 0, r[0]))
	by[crank] = n.dot(moved(u, 0, -r.dot(u)))
	by[coupler] = n.dot(moved(point{}, 0, -r.dot(e)))
	by[rocker] = n.dot(moved(point{}, 0, l[rocker]))
	by[arm] = n.dot(moved(point{}, 1, 0))
	return n, by
}

// linkage returns the plan of the nominal linkage, whose crank turns at 1 rad/s, the numbers of the three joints whose frames
// depend on the lengths (pins), and the number of the coupler (body).
func linkage() (plan *rung.Plan, pins [3]int, body int, err error) {
	world := func(p point) spatial.Vec3 { return spatial.Vec3{p[0] / 1000, p[1] / 1000, 0} }
	pin, knee, tip := nominal.pose(0)
	shaft, pivot, z := point{}, point{nominal[ground]}, spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("Hoeken's linkage")
	c := b.Rod("crank", 0.1, 0.004, world(shaft), world(pin))
	k := b.Rod("coupler", 0.5, 0.004, world(pin), world(tip))
	r := b.Rod("rocker", 0.25, 0.004, world(pivot), world(knee))
	motor := b.Revolute("shaft", rung.World, c, world(shaft), z)
	motor.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 1}}}
	pins = [3]int{
		b.Revolute("pivot", rung.World, r, world(pivot), z).Index(),
		b.Revolute("pin", c, k, world(pin), z).Index(),
		b.Revolute("knee", k, r, world(knee), z).Index(),
	}
	m, err := b.Model()
	if err != nil {
		return nil, pins, 0, err
	}
	plan, err = rung.NewPlan(m, rung.Options{})
	return plan, pins, k.Index(), err
}

// set gives state i of a batch the lengths l by the origins of the joints' frames: the frame of a rod is at its beginning, with x
// along it.
func (l *lengths) set(s *batch.States, i int, pins [3]int) error {
	for k, origins := range [3][2]float64{{l[ground], 0}, {l[crank], 0}, {l[coupler], l[rocker]}} {
		p, q := s.Frames(i, pins[k])
		p.Origin[0], q.Origin[0] = origins[0]/1000, origins[1]/1000
		if err := s.SetFrames(i, pins[k], p, q); err != nil {
			return err
		}
	}
	return nil
}

// draw returns the lengths of all linkages.
func draw() []lengths {
	normal := study.Study{Sampling: study.Sobol, Draws: draws, Seed: 1}
	for i, name := range names {
		normal.Parameters = append(normal.Parameters, study.Parameter{Name: name, Law: study.Normal, Mean: nominal[i], Deviation: deviation})
	}
	all, from := make([]lengths, draws), normal.NewDraws()
	for i := range all {
		from.ValuesTo(all[i][:], i)
	}
	return all
}

// place is a point of the nominal curve with the tolerance band there, mm along the normal.
type place struct {
	tip, normal point
	low, high   float64 // quantiles of the drawn linkages: the part tail is below low, and above high
	linear      float64 // half width of the band by linear propagation of errors, from −linear to linear
	by          lengths // derivatives from lengths.normal
}

// band returns the places of the curve with their bands, and the largest distance, mm, between a linkage's point as the batch
// closes it and the same point by intersection of circles (off).
func band(all []lengths) (places [angles]place, off float64, err error) {
	plan, pins, body, err := linkage()
	if err != nil {
		return places, 0, err
	}
	b, err := batch.New(plan, batch.Options{Threads: 2, Vary: batch.Vary{Joints: pins[:]}})
	if err != nil {
		return places, 0, err
	}
	s, out := b.NewStates(draws), b.NewOutcome(draws)
	for i := range all {
		if err := all[i].set(s, i, pins); err != nil {
			return places, 0, err
		}
	}
	start, st, closer := plan.Initial(), plan.Initial(), closing.NewCloser(plan, closing.Options{})
	beside := make([]float64, draws)
	for k := range places {
		p, angle := &places[k], 2*math.Pi*float64(k)/angles
		_, _, p.tip = nominal.pose(angle)
		p.normal, p.by = nominal.normal(angle)
		p.linear = beyond * deviation * math.Sqrt(square(p.by))
		start.Time = angle
		if err := closer.ClosePositions(start); err != nil {
			return places, 0, err
		}
		for i := range all {
			s.Set(i, start) // keeps the lengths of state i
		}
		b.CloseJoints(s, out)
		for i := range all {
			if err := out.Error(i); err != nil {
				return places, 0, err
			}
			s.To(st, i)
			at := st.Bodies[body].Position.Add(st.Bodies[body].Rotation.Rotate(spatial.Vec3{all[i][arm] / 1000}))
			tip := point{1000 * at[0], 1000 * at[1]}
			beside[i] = tip.add(-1, p.tip).dot(p.normal)
			_, _, want := all[i].pose(angle)
			off = max(off, math.Hypot(tip[0]-want[0], tip[1]-want[1]))
		}
		slices.Sort(beside)
		p.low, p.high = quantile(beside, tail), quantile(beside, 1-tail)
	}
	return places, off, nil
}

// square returns the sum of the squares of x.
func square(x lengths) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// quantile returns the value below which the given part of the sorted numbers is, by interpolation; number i stands for the part
// (i + ½)/n.
func quantile(sorted []float64, part float64) float64 {
	at := part*float64(len(sorted)) - 0.5
	i := int(at)
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// run prints the band of the drawn linkages beside the linear one, and the share of each length in the variance. It returns an error
// if the bands differ by more than agree. With an argument, it writes the picture to that file.
func run() error {
	places, off, err := band(draw())
	if err != nil {
		return err
	}
	fmt.Printf("%d four-bars, lengths with a deviation of %.1f mm\n", draws, deviation)
	fmt.Printf("largest distance of a point from its place by intersections of circles: %.6f mm, by hand 0\n\n", off)
	fmt.Println("crank   point, mm          beside the curve, mm   linear")
	fmt.Println("    °        x        y      5 %     95 %            ±")
	worst := 0.0
	for k, p := range places {
		worst = max(worst, math.Abs(p.low/p.linear+1), math.Abs(p.high/p.linear-1))
		if k%6 == 0 {
			fmt.Printf("%5d %8.3f %8.3f %8.4f %8.4f     %8.4f\n", k*360/angles, p.tip[0], p.tip[1], p.low, p.high, p.linear)
		}
	}
	fmt.Printf("\nlargest difference at %d angles: %.2f %% of the linear half width\n", angles, 100*worst)
	middle := &places[angles/2]
	fmt.Print("shares of the variance in the middle of the straight part:")
	for i, d := range middle.by {
		fmt.Printf(" %s %.1f %%", names[i], 100*d*d/square(middle.by))
	}
	fmt.Println()
	if worst > agree {
		return fmt.Errorf("the bands differ by %.1f %%", 100*worst)
	}
	if len(os.Args) > 1 {
		return os.WriteFile(os.Args[1], picture(&places), 0o644)
	}
	return nil
}

const (
	larger = 10 // factor by which the band is drawn wider
	frame  = 20 // mm, margin of the picture
)

// picture returns the linkage, the curve and both bands as SVG, with one unit for a mm.
func picture(places *[angles]place) []byte {
	curve := func(beside func(p *place) float64) string {
		var at [angles]point
		for k := range places {
			p := &places[k]
			at[k] = p.tip.add(larger*beside(p), p.normal)
		}
		return smooth(at[:])
	}
	minus, plus := curve(func(p *place) float64 { return -p.linear }), curve(func(p *place) float64 { return p.linear })
	left, right, bottom, top := 0.0, nominal[ground], 0.0, 0.0
	for k := range places {
		p := &places[k]
		r := larger * max(p.linear, p.high, -p.low)
		left, right, bottom, top = min(left, p.tip[0]-r), max(right, p.tip[0]+r), min(bottom, p.tip[1]-r), max(top, p.tip[1]+r)
	}
	left, right, bottom, top = left-frame, right+frame, bottom-frame-24, top+frame
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="%.0f %.0f %.0f %.0f">`+"\n",
		2*(right-left), 2*(top-bottom), left, -top, right-left, top-bottom)
	fmt.Fprintf(&b, `<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="#fff"/>`+"\n", left, -top, right-left, top-bottom)
	b.WriteString(`<g fill="#9ecae1" stroke="#9ecae1" stroke-width="0.4">` + "\n")
	for k := range places { // one quadrilateral after the other, as the band overlaps itself where the curve bends sharply
		p, q := &places[k], &places[(k+1)%angles]
		b.WriteString(`<path d="`)
		for i, at := range []point{p.tip.add(larger*p.low, p.normal), q.tip.add(larger*q.low, q.normal), q.tip.add(larger*q.high, q.normal), p.tip.add(larger*p.high, p.normal)} {
			fmt.Fprintf(&b, "%c%.2f,%.2f", "MLLL"[i], at[0], -at[1])
		}
		b.WriteString("Z\"/>\n")
	}
	b.WriteString("</g>\n")
	fmt.Fprintf(&b, `<path d="%s%s" fill="none" stroke="#08519c" stroke-width="0.5" stroke-dasharray="3 2"/>`+"\n", minus, plus)
	fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="#000" stroke-width="0.8"/>`+"\n", curve(func(*place) float64 { return 0 }))
	pin, knee, tip := nominal.pose(2 * math.Pi / 3)
	pivot := point{nominal[ground]}
	fmt.Fprintf(&b, `<path d="M0,0L%.2f,%.2fL%.2f,%.2fM%.2f,%.2fL%.2f,%.2f" fill="none" stroke="#666" stroke-width="2"/>`+"\n",
		pin[0], -pin[1], tip[0], -tip[1], pivot[0], -pivot[1], knee[0], -knee[1])
	for _, p := range []point{{}, pivot, pin, knee, tip} {
		fmt.Fprintf(&b, `<circle cx="%.2f" cy="%.2f" r="2" fill="#fff" stroke="#666"/>`+"\n", p[0], -p[1])
	}
	for i, text := range []string{
		fmt.Sprintf("band of %.0f %% of %d four-bars, %d times as wide", 100*(1-2*tail), draws, larger),
		"dashed: by linear propagation of errors",
	} {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-family="sans-serif" font-size="8">%s</text>`+"\n", left+5, -bottom-14+10*float64(i), text)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// smooth returns the SVG path of a closed curve through points: a Catmull-Rom spline as cubic Bézier pieces.
func smooth(p []point) string {
	var b bytes.Buffer
	n := len(p)
	fmt.Fprintf(&b, "M%.2f,%.2f", p[0][0], -p[0][1])
	for k := range p {
		from, to := p[k], p[(k+1)%n]
		c := from.add(1./6, to.add(-1, p[(k+n-1)%n]))
		d := to.add(-1./6, p[(k+2)%n].add(-1, from))
		fmt.Fprintf(&b, "C%.2f,%.2f %.2f,%.2f %.2f,%.2f", c[0], -c[1], d[0], -d[1], to[0], -to[1])
	}
	return b.String() + "Z"
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
