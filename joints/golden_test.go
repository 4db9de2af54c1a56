package joints_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// The parts of rung-model/1 that place a joint.
type (
	goldenPose struct {
		Position    spatial.Vec3
		Orientation *spatial.Quat
	}
	goldenBody struct {
		Name     string
		Pose     goldenPose
		Velocity struct{ Linear, Angular spatial.Vec3 }
	}
	goldenMotion struct {
		Kind                                string
		Offset, Amplitude, Frequency, Phase float64
		Coefficients                        []float64
	}
	goldenJoint struct {
		Name, Type, Predecessor, Successor string
		PredecessorFrame                   goldenPose `json:"predecessor_frame"`
		SuccessorFrame                     goldenPose `json:"successor_frame"`
		Pitch, Length                      float64
		Force, Stiffness, Damping, Rest    []float64
		Motion                             []*goldenMotion
	}
	goldenModel struct {
		Time   float64
		Bodies []goldenBody
		Joints []goldenJoint
	}
)

// The parts of an expected file that a joint alone decides.
type (
	goldenAnswer struct {
		Name               string
		Rows               int
		Coordinates, Rates []*float64
		AppliedWrench      struct{ Force, Moment spatial.Vec3 } `json:"applied_wrench"`
	}
	goldenExpected struct {
		Joints           []goldenAnswer
		Scale, Tolerance struct{ Force, Moment float64 }
	}
)

func (p *goldenPose) matrix() spatial.Mat3 {
	if p.Orientation == nil {
		return spatial.Identity3()
	}
	return p.Orientation.Normalize().Mat()
}

func (j *goldenJoint) spec(t *testing.T) *joints.Spec {
	kind, err := joints.ParseKind(j.Type)
	require.NoError(t, err)
	s := &joints.Spec{Kind: kind, Pitch: j.Pitch, Length: j.Length}
	for i, m := range j.Motion {
		if m == nil {
			continue
		}
		if s.Motion == nil {
			s.Motion = new([6]*joints.Motion)
		}
		if s.Motion[i] = joints.NewPolynomial(m.Coefficients); m.Kind == "harmonic" {
			s.Motion[i] = joints.NewHarmonic(m.Offset, m.Amplitude, m.Frequency, m.Phase)
		}
	}
	require.NoError(t, s.Check())
	return s
}

// frames returns the frames of j at the state of m.
func (m *goldenModel) frames(j *goldenJoint) *joints.Frames {
	body := func(name string) (b goldenBody) {
		for _, x := range m.Bodies {
			if x.Name == name {
				return x
			}
		}
		return b // the world
	}
	p, s := body(j.Predecessor), body(j.Successor)
	EP, ES := p.Pose.matrix(), s.Pose.matrix()
	armP, armS := EP.MulVec(j.PredecessorFrame.Position), ES.MulVec(j.SuccessorFrame.Position)
	wp, ws := p.Velocity.Angular, s.Velocity.Angular
	R := s.Pose.Position.Sub(p.Pose.Position).Add(armS.Sub(armP))
	// Relative to the point of P's body at S's origin.
	v := s.Velocity.Linear.Add(ws.Cross(armS)).Sub(p.Velocity.Linear).Sub(wp.Cross(armP.Add(R)))
	return &joints.Frames{
		EP: EP.Mul(j.PredecessorFrame.matrix()), ES: ES.Mul(j.SuccessorFrame.matrix()),
		R: R, V: v, OmegaP: wp, OmegaS: ws,
	}
}

func readGolden(t *testing.T, name string, v any) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v))
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("../reference/golden/*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		base := strings.TrimSuffix(file, ".model.json")
		t.Run(filepath.Base(base), func(t *testing.T) {
			var m goldenModel
			var want goldenExpected
			readGolden(t, file, &m)
			readGolden(t, base+".expected.json", &want)
			require.Len(t, want.Joints, len(m.Joints))
			for i := range m.Joints {
				checkGolden(t, &m, &m.Joints[i], &want, &want.Joints[i])
			}
		})
	}
}

// stateTol is the violation of a golden state and the error of its coordinates:
// the files vouch for 1e-13, ten times that leaves room for rounding here.
const stateTol = 1e-12

func checkGolden(t *testing.T, m *goldenModel, j *goldenJoint, want *goldenExpected, a *goldenAnswer) {
	require.Equal(t, a.Name, j.Name)
	s, f := j.spec(t), m.frames(j)
	require.Equal(t, a.Rows, s.NumRows())
	require.Len(t, a.Coordinates, s.Kind.Freedoms())
	var q, qd, tau, e [6]float64
	s.CoordinatesTo(&q, &qd, f)
	for i, x := range a.Coordinates {
		require.Equal(t, s.Kind.Scalar(i), x != nil)
		if x != nil {
			require.InDelta(t, *x, q[i], stateTol, j.Name)
			require.InDelta(t, *a.Rates[i], qd[i], stateTol, j.Name)
		}
	}
	s.PositionErrorTo(&e, f, m.Time)
	for k := range e {
		require.InDelta(t, 0, e[k], stateTol, j.Name)
	}
	require.NoError(t, s.VelocityErrorTo(&e, f, m.Time))
	for k := range e {
		require.InDelta(t, 0, e[k], stateTol, j.Name)
	}
	// The joint's own generalized forces, as a wrench.
	copy(tau[:], j.Force)
	for i := range j.Stiffness {
		rest := 0.0
		if j.Rest != nil {
			rest = j.Rest[i]
		}
		tau[i] -= j.Stiffness[i] * (q[i] - rest)
	}
	for i := range j.Damping {
		tau[i] -= j.Damping[i] * qd[i]
	}
	var w spatial.Force
	s.WrenchTo(&w, &tau, f)
	force, moment := goldenTol(want.Scale.Force, want.Tolerance.Force), goldenTol(want.Scale.Moment, want.Tolerance.Moment)
	for i := range 3 {
		require.InDelta(t, a.AppliedWrench.Moment[i], w[i], moment, j.Name)
		require.InDelta(t, a.AppliedWrench.Force[i], w[3+i], force, j.Name)
	}
}

// goldenTol is the looser of 1e-9 of the scale and a hundred times the file's
// own tolerance, as reference/README.md has it.
func goldenTol(scale, tolerance float64) float64 { return max(1e-9*scale, 100*tolerance) }
