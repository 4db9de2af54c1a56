package bring

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// attempts is the largest number of poses from which the loops are closed, until all coordinates end within their ranges.
const attempts = 30

// posed are the formats whose files have the poses of bodies, so that coordinates do not place them.
var posed = map[string]bool{"asmt": true, "usd": true}

// closed closes the loops of an imported model. Loops may close in several poses, and the right one is assumed to be a pose
// with all coordinates within their ranges. So if some are outside, they are moved inside (begin), the file is read again in
// that pose, and the loops are closed from there, at most attempts times. closed returns the first of the poses with the fewest
// coordinates outside, and adds an entry about these to the report of the document.
func closed(result *source.Result, doc *document, path string, folders map[string]string, o *source.Options) (*source.Result, *document, error) {
	outside, err := doc.close(result.Model, path)
	if err != nil {
		return nil, nil, err
	}
	best, bestDoc, at := result, doc, outside
	for range attempts - 1 {
		if len(outside) == 0 || o.Key != "" || posed[result.Model.Source.Format] {
			break
		}
		next := *o
		if next.Pose = begin(result, outside, o.Pose); next.Pose == nil {
			break
		}
		var report *source.Report
		if result, report, err = formats.ReadFile(path, folders, &next); err != nil {
			break // the file cannot be read in this pose
		}
		try := newDocument(result, report, path)
		try.Open, try.Report = doc.Open, doc.Report
		if outside, err = try.close(result.Model, path); err != nil {
			break // the loops do not close from here
		}
		if len(outside) < len(at) {
			best, bestDoc, at = result, try, outside
		}
	}
	if len(at) > 0 {
		e := source.Entry{
			Severity: source.Note, What: sheet.Plural(len(at), "coordinate") + " outside of the range in the closed pose",
			Why: fmt.Sprintf("the first is of joint %s: %.6g, the bound is %.6g; --pose may begin elsewhere", fault.Name(best.Model.Joints[at[0].Joint].Name), at[0].Coordinate, at[0].Bound),
		}
		e.File = filepath.Base(path)
		bestDoc.Report = append(bestDoc.Report, entryOf(&e))
	}
	return best, bestDoc, nil
}

// begin returns the coordinates, by name, from which loops are closed again: the given ones, and the
// model's for all others. A coordinate outside of its range is moved to the middle of
// the range or, if the range has only one bound, to this bound. It returns nil if no coordinate
// outside of its range has a name.
func begin(r *source.Result, outside []mechanism.BeyondLimit, given map[string]float64) map[string]float64 {
	mech, err := mechanism.New(r.Model)
	if err != nil {
		return nil
	}
	st, kin := mech.Initial(), mech.NewKinematics()
	if mech.KinematicsTo(kin, st) != nil {
		return nil
	}
	pose, moved := map[string]float64{}, false
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for _, c := range r.Coordinates {
		if _, ok := given[c.Name]; ok || c.Name == "" {
			continue
		}
		mech.JointTo(&jk, c.Joint, kin, st)
		mech.Joints[c.Joint].CoordinatesTo(&q, &qd, &jk)
		x := q[c.Freedom]
		for _, b := range outside {
			if b.Joint != c.Joint || b.Freedom.Freedom != c.Freedom {
				continue
			}
			l := r.Model.Joints[c.Joint].Limits[c.Freedom]
			x, moved = b.Bound, true
			if !math.IsInf(l.Lower, 0) && !math.IsInf(l.Upper, 0) {
				x = l.Lower + (l.Upper-l.Lower)/2
			}
		}
		pose[c.Name] = c.Sign * x
	}
	maps.Copy(pose, given)
	if !moved {
		return nil
	}
	return pose
}

// close closes the joints of m, and returns the coordinates that are then outside of their ranges.
func (d *document) close(m *model.Model, path string) ([]mechanism.BeyondLimit, error) {
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, shell.Failed(shell.ModelFile(path), err)
	}
	mech, st := plan.Mechanism(), plan.Initial()
	c := closing.NewCloser(plan, closing.Options{Nearest: true})
	kin := mech.NewKinematics()
	mech.FollowAngles(kin, st)
	err = c.ClosePositions(st)
	if err == nil {
		err = c.ProjectVelocities(st)
	}
	if err == nil {
		err = mech.KinematicsTo(kin, st)
	}
	if err != nil {
		return nil, shell.Failed(shell.ModelFile(path), err)
	}
	rung.SetState(m, mech, st)
	yes := true
	d.Closed = &yes
	return mech.BeyondLimits(kin, st), nil
}
