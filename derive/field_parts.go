package derive

import (
	"errors"
	"strings"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// errNone is the error for an index that is out of range, and for a number that the model does not have.
var errNone = errors.New("derive: the model has no such number")

// errBall is the error for a number of one of the three rotations of a ball.
var errBall = errors.New("derive: the three rotations of a ball have one number, which no path names alone")

// one returns a single part, which changes as the parameter does.
func one(kind partKind, index, component int) []part {
	return []part{{kind, int32(index), uint8(component), 1}}
}

// within reports whether entry k of the indices in a path exists and is in [0, n).
func within(i []int, k, n int) bool { return k < len(i) && i[k] >= 0 && i[k] < n }

// ofBody returns the field of a number of a body. With components > 1 the path has the index of the component.
func ofBody(kind partKind, components int, component int) field {
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		c := component
		if components > 1 {
			if !within(i, 1, components) {
				return nil, errNone
			}
			c = i[1]
		}
		return one(kind, i[0], c), nil
	}}
}

// frameOf returns the frame of joint j in its predecessor (side 0) or its successor (side 1).
func frameOf(m *model.Model, j, side int) *model.Pose {
	return [2]*model.Pose{&m.Joints[j].PredecessorFrame, &m.Joints[j].SuccessorFrame}[side]
}

// ofFramePosition returns the field of an entry of the position of a joint's frame; side as in frameOf.
func ofFramePosition(side int) field {
	return field{
		at: func(m *model.Model, i []int) *float64 { return &frameOf(m, i[0], side).Position[i[1]] },
		parts: func(d *Derivatives, i []int) ([]part, error) {
			if !within(i, 1, 3) {
				return nil, errNone
			}
			return one(partOrigin, 2*i[0]+side, i[1]), nil
		},
	}
}

// ofFrameOrientation returns the field of an entry of the quaternion of a joint's frame; side as in frameOf.
func ofFrameOrientation(side int) field {
	return field{
		at: func(m *model.Model, i []int) *float64 { return &frameOf(m, i[0], side).Orientation[i[1]] },
		parts: func(d *Derivatives, i []int) ([]part, error) {
			if !within(i, 1, 4) {
				return nil, errNone
			}
			return turns(partTurn, 2*i[0]+side, quaternionTurns(frameOf(d.doc, i[0], side).Orientation, i[1])), nil
		},
	}
}

// turns returns the three parts of a rotation vector that changes by by.
func turns(kind partKind, index int, by spatial.Vec3) (list []part) {
	for k, x := range by {
		list = append(list, part{kind, int32(index), uint8(k), x})
	}
	return list
}

// scalarPart returns the part of the number s of the mechanism's part number, and makes the number active.
func (d *Derivatives) scalarPart(number int, s slot) []part {
	return one(partScalar, int(d.activate(number, s)), 0)
}

// ofElement returns the field of a number of force elements of the given types. With components > 1 the path has the index of the
// component.
func ofElement(kind uint8, components int, types ...model.ForceType) field {
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		k := int32(0)
		if components > 1 {
			if !within(i, 1, components) {
				return nil, errNone
			}
			k = int32(i[1])
		}
		for _, t := range types {
			if d.doc.Forces[i[0]].Type == t {
				return d.scalarPart(d.elementNumber(i[0]), slot{kind: kind, index: k}), nil
			}
		}
		return nil, errors.New("derive: no derivative by this number of a " + d.doc.Forces[i[0]].Type.String())
	}}
}

// ofDiagonal returns the field of an entry of a matrix of a bushing. Only diagonal entries have derivatives.
func ofDiagonal(kind uint8) field {
	diagonal := ofElement(kind, 6, model.BushingForce)
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		if !within(i, 1, 6) || !within(i, 2, 6) {
			return nil, errNone
		}
		if i[1] != i[2] {
			return nil, errors.New("derive: the matrix is symmetric: two entries of it are one number, which no path names alone")
		}
		return diagonal.parts(d, i[:2])
	}}
}

// ofPoint returns the field of a coordinate of point k of a force element; with a negative k the path has the number of the point.
func ofPoint(k int) field {
	return field{parts: func(d *Derivatives, i []int) ([]part, error) {
		n, c := k, i[len(i)-1]
		if k < 0 {
			n = i[1]
		}
		f := &d.doc.Forces[i[0]]
		points := map[model.ForceType]int{model.SpringDamper: 2, model.BushingForce: 2, model.Wrench: 1}[f.Type]
		if f.Cable != nil {
			points = len(f.Cable.Points)
		}
		if n >= points || c > 2 {
			return nil, errors.New("derive: no derivative by a point of a " + f.Type.String())
		}
		return one(partOrigin, int(d.pointFrame(d.elementNumber(i[0]), n)), c), nil
	}}
}

// motionOf finds the motion m of a model that a path with the indices i leads to, with the part of the mechanism and the freedom it belongs
// to. m is nil if there is none.
type motionOf func(d *Derivatives, i []int) (part, freedom int, m *model.Motion)

// ofMotion adds the fields of a motion whose path is prefix: each kind of motion has its own numbers.
func ofMotion(list map[string]field, prefix string, of motionOf) {
	one := func(*model.Motion) int { return 1 }
	for name, x := range map[string]struct {
		kind  joints.MotionKind
		index int32
		count func(m *model.Motion) int // number of entries
	}{
		".offset": {joints.Harmonic, motionOffset, one}, ".amplitude": {joints.Harmonic, motionAmplitude, one},
		".frequency": {joints.Harmonic, motionFrequency, one}, ".phase": {joints.Harmonic, motionPhase, one},
		".coefficients[]": {joints.Polynomial, motionList, func(m *model.Motion) int { return len(m.Coefficients) }},
		".values[]":       {joints.Spline, motionList, func(m *model.Motion) int { return len(m.Values) }},
		".rates[]":        {joints.Spline, motionRates, clampedRates},
		".value":          {joints.Table, motionValue, one}, ".rate": {joints.Table, motionRate, one},
		".accelerations[]": {joints.Table, motionList, func(m *model.Motion) int { return len(m.Accelerations) }},
	} {
		list[prefix+name] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
			number, freedom, m := of(d, i)
			k := 0
			if strings.HasSuffix(name, "[]") {
				k = i[len(i)-1]
			}
			if m == nil || m.Kind != x.kind || k >= x.count(m) {
				return nil, errNone
			}
			return d.scalarPart(number, slot{kind: slotMotion, freedom: uint8(freedom), index: x.index + int32(k)}), nil
		}}
	}
	list[prefix+".times[]"] = field{refused: "the times of a motion have none; its values do"}
}

// clampedRates returns the number of rates that a spline has at its ends.
func clampedRates(m *model.Motion) int {
	if m.Ends != joints.Clamped {
		return 0
	}
	return len(m.Rates)
}
