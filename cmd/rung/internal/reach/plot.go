package reach

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// posesShown is the number of poses of a path that are drawn.
	posesShown = 6
	// posedBodies is the largest number of bodies of a mechanism whose poses are drawn.
	posedBodies = 2000
	// leastError is the least error on the logarithmic axis; smaller ones, such as 0, are drawn as this.
	leastError = 1e-17
)

// snapshot keeps the pose of a sample at the time t if the picture shows it: at posesShown equally spaced times of a path, else always.
func (r *posing) snapshot(t float64, st *mechanism.State) {
	mech := r.plan.Mechanism()
	if r.plot == "" || mech.NumBodies() > posedBodies {
		return
	}
	from, until := t, t
	if path := r.task.Path; path != nil {
		from, until = path.Times[0], path.Times[len(path.Times)-1]
	}
	n := len(r.log.poses)
	// A sample counts as at the time due if it is before it by no more than rounding.
	if due := from + (until-from)*float64(n)/(posesShown-1); r.task.Path == nil || n < posesShown && t >= due-1e-9*(until-from) {
		r.log.poses = append(r.log.poses, pose{t, r.skeleton(st)})
	}
}

// lastPose makes the last sample of a path the last pose that is drawn.
func (r *posing) lastPose() {
	n := len(r.log.poses)
	if n == 0 || r.log.poses[n-1].time == r.log.all.End {
		return
	}
	if n == posesShown {
		r.log.poses = r.log.poses[:n-1]
	}
	r.log.poses = append(r.log.poses, pose{r.log.all.End, r.skeleton(r.st)})
}

// skeleton returns for each body a line through its joints in their order and, if these are at most two, through its targets, closed if it
// has three points or more. A body with fewer than two points gets its centre of mass as another one. Then come the lines
// between the two ends of sliding joints and rods. All points are in the world.
func (r *posing) skeleton(st *mechanism.State) [][]spatial.Vec3 {
	mech := r.plan.Mechanism()
	points := make([][]spatial.Vec3, mech.NumBodies())
	at := func(body int, local spatial.Vec3) spatial.Vec3 {
		if body == mechanism.World {
			return local
		}
		b := &st.Bodies[body]
		return b.Position.Add(b.Rotation.Rotate(local))
	}
	add := func(body int, local spatial.Vec3) {
		if body != mechanism.World {
			points[body] = append(points[body], at(body, local))
		}
	}
	var slides [][]spatial.Vec3
	for i := range mech.Joints {
		j := &mech.Joints[i]
		add(int(j.Pred), j.P.Origin)
		add(int(j.Succ), j.S.Origin)
		switch j.Kind.Type() {
		case model.Prismatic, model.Helical, model.Cylindrical, model.SphereInCylinder, model.Distance, model.Composite:
			slides = append(slides, []spatial.Vec3{at(int(j.Pred), j.P.Origin), at(int(j.Succ), j.S.Origin)})
		}
	}
	for i := range r.task.Targets {
		if t := &r.task.Targets[i]; t.Body != "" {
			if b, err := mech.BodyIndex(t.Body); err == nil && b != mechanism.World && len(points[b]) < 3 {
				add(b, t.Frame.Position)
			}
		}
	}
	for i := range points {
		switch len(points[i]) {
		case 0, 1:
			add(i, mech.Bodies[i].Com)
		case 2:
		default:
			points[i] = append(points[i], points[i][0])
		}
	}
	return append(points, slides...)
}

// views returns the poses from the side and from above, but skips a view in which they are flat, for which the view from the front may
// come. upright has the columns of scene.Upright, and title returns the name of pose i.
func (l *log) views(upright spatial.Mat3, title func(i int) string) []picture.View {
	if len(l.poses) == 0 {
		return nil
	}
	toView := upright.T()
	lo, hi := spatial.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, spatial.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, p := range l.poses {
		for _, line := range p.lines {
			for _, x := range line {
				x = toView.MulVec(x)
				for k := range 3 {
					lo[k], hi[k] = min(lo[k], x[k]), max(hi[k], x[k])
				}
			}
		}
	}
	size := hi.Sub(lo).Norm()
	axes := [...]string{axisName(upright.Col(0)), axisName(upright.Col(1)), axisName(upright.Col(2))}
	var list []picture.View
	for _, v := range [...]struct {
		x, y int
		from string
	}{{0, 2, "from the side"}, {0, 1, "from above"}, {1, 2, "from the front"}} {
		if hi[v.x]-lo[v.x] < 1e-6*size || hi[v.y]-lo[v.y] < 1e-6*size || len(list) == 2 {
			continue
		}
		view := picture.View{X: axes[v.x] + ", " + v.from, Y: axes[v.y]}
		for i, p := range l.poses {
			out := picture.Pose{Name: title(i)}
			for _, line := range p.lines {
				var flat [][2]float64
				for _, x := range line {
					x = toView.MulVec(x)
					flat = append(flat, [2]float64{x[v.x], x[v.y]})
				}
				out.Lines = append(out.Lines, flat)
			}
			view.Poses = append(view.Poses, out)
		}
		list = append(list, view)
	}
	return list
}

// axisName returns the label of an axis that is parallel to an axis of the world.
func axisName(axis spatial.Vec3) string {
	for k, name := range [...]string{"x, m", "y, m", "z, m"} {
		switch {
		case axis[k] > 0:
			return name
		case axis[k] < 0:
			return "−" + name
		}
	}
	panic("reach: no axis")
}

// draw writes the picture of the path, or of the steps to the pose, if the flags ask for it.
func (r *posing) draw(stdout io.Writer) error {
	if r.plot == "" || len(r.log.samples) == 0 {
		return nil
	}
	label, title := "time, s", func(i int) string { return sheet.Digits3(r.log.poses[i].time) + " s" }
	if r.task.Path == nil {
		if label = "steps"; len(r.log.starts) > 0 {
			label = "steps, one start after the other"
		}
		title = func(i int) string { return [...]string{"start", "end"}[i] }
	}
	x := make([]float64, len(r.log.samples))
	for k, s := range r.log.samples {
		x[k] = s.time
	}
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(r.plot)), ".")
	chart := &picture.Chart{
		Title: sheet.ModelTitle(r.plan.Mechanism().Name), Label: label, X: x, Whole: r.task.Path == nil, Starts: r.log.starts,
		Panels: r.panels(), Views: r.log.views(scene.Upright(r.plan.Mechanism()), title),
	}
	return shell.WriteFile(r.plot, stdout, func(w io.Writer) error { return picture.Motion(w, format, chart) })
}

// panels returns the panels of errors, coordinates, rates, only for a path, and the least singular value, if the method computes it.
func (r *posing) panels() []picture.Panel {
	over := func(of func(s *sample) float64) []float64 {
		y := make([]float64, len(r.log.samples))
		for k := range y {
			y[k] = of(&r.log.samples[k])
		}
		return y
	}
	off := picture.Panel{Label: "error, m or rad", Log: true}
	for i := range r.task.Targets {
		t := &r.task.Targets[i]
		name, turns := fault.Text(t.Name, sheet.NameWidth), r.turns(t)
		for part, unit := range [...]string{"m", "rad"} {
			if t.Type == ik.PoseTarget || turns == (part == 1) {
				y := over(func(s *sample) float64 { return max(s.off[2*i+part], leastError) })
				off.Curves = append(off.Curves, picture.Curve{Name: name + ", " + unit, Y: y})
			}
		}
	}
	list := []picture.Panel{off}
	coordinates, rates := picture.Panel{Label: "coordinate"}, picture.Panel{Label: "rate"}
	for i := range min(len(r.problem.Driven()), mostCurves) {
		name, unit := r.freedom(i), r.unit(i)
		coordinates.Curves = append(coordinates.Curves, picture.Curve{Name: name + ", " + unit, Y: over(func(s *sample) float64 { return s.q[i] })})
		rates.Curves = append(rates.Curves, picture.Curve{Name: name + ", " + unit + "/s", Y: over(func(s *sample) float64 { return s.rate[i] })})
	}
	list = append(list, coordinates)
	if r.task.Path != nil {
		list = append(list, rates)
	}
	if r.log.samples[0].sigma == notComputed {
		return list
	}
	return append(list, picture.Panel{Label: "singular value", Curves: []picture.Curve{{Name: "least", Y: over(func(s *sample) float64 { return s.sigma })}}})
}

// mostCurves is the largest number of freedoms in a panel.
const mostCurves = 12

// turns reports whether the error of a target, which is not a pose, is an angle.
func (r *posing) turns(t *ik.Target) bool {
	if t.Type != ik.Coordinate {
		return t.Type == ik.Orientation || t.Type == ik.Axis
	}
	mech := r.plan.Mechanism()
	joint, freedom := t.Freedom, 0
	j, err := mech.JointIndex(joint)
	if i := strings.LastIndexByte(joint, '.'); err != nil && i >= 0 {
		if j, err = mech.JointIndex(joint[:i]); err == nil {
			freedom, err = strconv.Atoi(joint[i+1:])
		}
	}
	return err == nil && mech.Joints[j].Kind.Rotational(freedom)
}

// mostSteps is the largest number of steps in a picture.
const mostSteps = 10_000

// watch makes the solver log its first mostSteps steps for a picture, one start after the other.
func (r *posing) watch() {
	if r.plot == "" {
		return
	}
	first, last := 0, 0
	r.solver.Watch(func(result *ik.Result) {
		n := len(r.log.samples)
		if n >= mostSteps {
			return
		}
		if n > 0 && result.Steps < last {
			r.log.starts = append(r.log.starts, n)
			first += last
		}
		last = result.Steps
		r.log.add(float64(first+last), r.st, result)
	})
}

// watched adds the result of the search to the log of watch, unless the log is empty or full. A result at another pose than the last step
// is the result of an earlier start.
func (r *posing) watched(result *ik.Result) {
	n := len(r.log.samples)
	if n == 0 || n >= mostSteps {
		return
	}
	before := r.log.samples[n-1]
	r.log.add(max(before.time, float64(result.Steps)), r.st, result)
	if !slices.Equal(before.q, r.log.samples[n].q) && before.time < float64(result.Steps) && result.Restarts > 0 {
		r.log.starts = append(r.log.starts, n) // the result of an earlier start: not joined to the last step
	}
}
