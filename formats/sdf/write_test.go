package sdf_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// roundTol is rounding of frames that are computed anew, relative to
// the largest acceleration, where the mechanism is far from singular.
const roundTol = 1e-11

// written are the types of joints that the format has.
var written = []model.JointType{model.Fixed, model.Revolute, model.Prismatic, model.Helical, model.Spherical, model.Universal, model.Free}

// TestRoundTrip: models that go out and come back have the same
// accelerations, moving too, the same mobility and redundant rows.
func TestRoundTrip(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(check.Root(t), "reference", "golden", "*.model.json"))
	require.NoError(t, err)
	done := map[model.JointType]int{}
	springs := 0
	for _, file := range files {
		m, err := rung.Open(file)
		require.NoError(t, err)
		if slices.ContainsFunc(m.Joints, func(j model.Joint) bool {
			return !slices.Contains(written, j.Type)
		}) || len(m.Bodies) > 100 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".model.json"), func(t *testing.T) {
			m.Terrains = nil // which the format lacks, and forces that are no springs too
			m.Forces = slices.DeleteFunc(m.Forces, func(f model.ForceElement) bool {
				return f.Type != model.SpringDamper || f.Spring != nil || f.Damper != nil || f.RestLength == 0
			})
			springs += len(m.Forces)
			for i := range m.Joints {
				m.Joints[i].Force, m.Joints[i].Motion = nil, nil
				done[m.Joints[i].Type]++
			}
			var b bytes.Buffer
			report, err := sdf.Write(&b, m)
			require.NoError(t, err)
			require.NotEmpty(t, b.Bytes())
			for _, e := range report.Entries {
				assert.NotEqual(t, source.Loss, e.Severity, e.String())
			}
			r, again, err := read(b.String(), source.Options{Strict: true, KeepFixed: true})
			require.NoError(t, err)
			require.Zero(t, again.Counts.Dropped)
			require.Len(t, r.Model.Bodies, len(m.Bodies))
			for i := range m.Bodies {
				r.Model.Bodies[i].Velocity = m.Bodies[i].Velocity
			}
			want, err := rung.Accelerate(m, rung.Options{})
			require.NoError(t, err)
			got, err := rung.Accelerate(r.Model, rung.Options{})
			require.NoError(t, err)
			scale := [2]float64{1, 1}
			for i := range want.Bodies {
				scale[0] = max(scale[0], want.Bodies[i].ComAcceleration.Norm())
				scale[1] = max(scale[1], want.Bodies[i].AngularAcceleration.Norm())
			}
			for i := range want.Bodies {
				check.CloseVec(t, got.Bodies[i].ComAcceleration[:], want.Bodies[i].ComAcceleration[:], roundTol, scale[0], "body %d", i)
				check.CloseVec(t, got.Bodies[i].AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], roundTol, scale[1], "body %d", i)
			}
			assert.Equal(t, want.Constraints.Mobility, got.Constraints.Mobility)
			assert.Equal(t, want.Constraints.Redundant, got.Constraints.Redundant)
		})
	}
	assert.Positive(t, springs)
	for _, k := range written[:6] {
		assert.Positive(t, done[k], k)
	}
}

// TestWriteShifts: springs, limits and equations count from the pose that is written.
func TestWriteShifts(t *testing.T) {
	m := must(t, `<sdf version="1.9"><world name="w"><gravity>0 0 0</gravity><model name="m"><link name="a"/><link name="b"/>
		<joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><dynamics><damping>2</damping><spring_stiffness>3</spring_stiffness><spring_reference>0.4</spring_reference></dynamics>
		<limit><lower>-1</lower><upper>2</upper><velocity>5</velocity></limit></axis></joint>
		<joint name="jb" type="prismatic"><parent>world</parent><child>b</child><axis><mimic joint="ja"><multiplier>2</multiplier><offset>0.3</offset></mimic></axis></joint></model></world></sdf>`)
	q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 0.1)
	m.Bodies[0].Pose.Orientation = q
	m.Bodies[1].Pose.Position = [3]float64{0, 0, 0.5} // 2·0.1 + 0.3
	m.Joints[0].Turns = []int64{1}
	m.Joints[0].Limits[0].Upper = 9
	m.Joints[0].Friction = []model.Friction{{Force: 0.75}}
	m.Couplings[0].Offset -= 2 * 2 * math.Pi * (m.Couplings[0].Terms[1].Factor / -2) // as the turn counts
	var b bytes.Buffer
	_, err := sdf.Write(&b, m)
	require.NoError(t, err)
	again := must(t, b.String())
	zero := 0.1 + 2*math.Pi
	j := again.Joints[0]
	assert.InDelta(t, 0.4-zero, j.Rest[0], tol*10)
	assert.InDelta(t, -1-zero, j.Limits[0].Lower, tol*10)
	assert.InDelta(t, 9-zero, j.Limits[0].Upper, tol*10)
	assert.Equal(t, []model.Friction{{Force: 0.75}}, j.Friction)
	assert.Equal(t, 5.0, j.Limits[0].Rate)
	require.Len(t, again.Couplings, 1)
	assert.InDelta(t, 0, again.Couplings[0].Offset, 1e-13, "the pose holds the equation")
}

// TestWriteDrake: sums of coordinates, springs between bodies and rotors come back with the accelerations that they had, in
// another pose than the file's, too.
func TestWriteDrake(t *testing.T) {
	m := model.New("differential")
	for k, name := range []string{"a", "b", "c", "d"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1 + float64(k), Com: [3]float64{0.1, 0.2, 0.05 * float64(k)}, Inertia: model.Inertia{XX: 1, YY: 1.5, ZZ: 2}})
		m.Joints = append(m.Joints, model.Joint{
			Name: "j" + name, Type: model.Revolute, Predecessor: "world", Successor: name, Armature: []float64{0.5 + float64(k)},
			PredecessorFrame: model.Pose{Orientation: spatial.FromAxisAngle(spatial.Vec3{1, 0, 0}, 0.4*float64(k))},
		})
	}
	m.Joints[3].Type = model.Prismatic
	for k, q := range []float64{0.3, -0.2, 0.7, 0.4} {
		p := &m.Bodies[k].Pose
		p.Orientation = m.Joints[k].PredecessorFrame.Orientation
		if k == 3 {
			p.Position = spatial.Quat(p.Orientation).Rotate(spatial.Vec3{0, 0, q})
			continue
		}
		p.Orientation = spatial.Quat(p.Orientation).Mul(spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, q))
	}
	term := func(joint string, f float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: joint}, Factor: f}
	}
	m.Couplings = []model.Coupling{
		{Name: "three", Terms: []model.CouplingTerm{term("ja", 2), term("jb", -1.5), term("jc", 1)}, Offset: 2*0.3 + 1.5*0.2 + 0.7},
		{Name: "two", Terms: []model.CouplingTerm{term("jd", 1), term("ja", 0.5)}, Offset: 0.4 + 0.15},
	}
	for k, f := range [][2]string{{"a", "b"}, {"world", "c"}} {
		m.Forces = append(m.Forces, model.ForceElement{
			Name: "s" + f[1], Type: model.SpringDamper, A: model.Attachment{Body: f[0], Point: [3]float64{1, 0, 2}},
			B: model.Attachment{Body: f[1], Point: [3]float64{0, 1, 0.5}}, Stiffness: 30, Damping: 2, RestLength: 0.5 + float64(k),
		})
	}
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	report, err := sdf.Write(&b, m)
	require.NoError(t, err)
	assert.Zero(t, report.Counts.Dropped)
	assert.Contains(t, b.String(), `xmlns:drake="http://drake.mit.edu"`)
	r, again, err := read(b.String(), source.Options{Strict: true})
	require.NoError(t, err)
	require.Zero(t, again.Counts.Dropped)
	require.Len(t, r.Model.Couplings, 2)
	require.Len(t, r.Model.Forces, 2)
	for i := range r.Model.Couplings {
		assert.InDelta(t, 0, r.Model.Couplings[i].Offset, 1e-14, "the pose holds the equation")
	}
	want, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	got, err := rung.Accelerate(r.Model, rung.Options{})
	require.NoError(t, err)
	for i := range want.Bodies {
		check.CloseVec(t, got.Bodies[i].ComAcceleration[:], want.Bodies[i].ComAcceleration[:], roundTol, 10, "body %d", i)
		check.CloseVec(t, got.Bodies[i].AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], roundTol, 10, "body %d", i)
	}

	// What Drake cannot say is lost, or refused: a rotor of two coordinates, a spring without length, an equation of one of two.
	m.Forces[0].RestLength = 0
	m.Joints[3].Type, m.Joints[3].Armature = model.Universal, []float64{0, 1}
	m.Bodies[3].Pose = m.Joints[3].PredecessorFrame
	m.Couplings = m.Couplings[:1]
	b.Reset()
	report, err = sdf.Write(&b, m)
	require.NoError(t, err)
	text := ""
	for i := range report.Entries {
		text += report.Entries[i].String() + "\n"
	}
	assert.Contains(t, text, `force "sb" of type spring_damper`)
	assert.NotContains(t, text, `force "sc"`)
	assert.Contains(t, text, `of joint "jd"`)
	assert.NotContains(t, text, `of joint "ja"`)
	m.Couplings[0].Terms[1].Joint = "jd"
	b.Reset()
	_, err = sdf.Write(&b, m)
	require.ErrorContains(t, err, `coupling "three": the format has linear equations alone, of more than two coordinates those of joints with one`)
	require.Empty(t, b.Bytes())
}

// TestWriteLosses: what the format lacks is listed, and joints that it lacks are refused with nothing written.
// TestWriteLaw: a coupling with a law is refused by name; without it, it is written.
func TestWriteLaw(t *testing.T) {
	m := model.New("law")
	body := func(name string) model.Body {
		return model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}
	}
	m.Bodies = []model.Body{body("a"), body("b")}
	m.Joints = []model.Joint{{Name: "h", Type: model.Revolute, Predecessor: "world", Successor: "a"}, {Name: "g", Type: model.Revolute, Predecessor: "world", Successor: "b"}}
	term := func(joint string, f float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: joint}, Factor: f}
	}
	m.Couplings = []model.Coupling{{Name: "gear", Terms: []model.CouplingTerm{term("h", 1), term("g", 2)}}}
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	_, err := sdf.Write(&b, m)
	require.NoError(t, err)
	b.Reset()
	m.Couplings[0].Terms = m.Couplings[0].Terms[1:]
	m.Couplings[0].Law = &model.CouplingLaw{Of: []model.Coupled{{Joint: "h"}},
		Law: couplings.Law{Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: "0.1*sin(x)"}}
	require.NoError(t, model.Check(m))
	_, err = sdf.Write(&b, m)
	require.ErrorContains(t, err, `coupling "gear": the format has linear equations alone`)
	require.Empty(t, b.Bytes())
}

func TestWriteLosses(t *testing.T) {
	data, err := os.ReadFile(check.Reference(t, "golden", "springs.model.json"))
	require.NoError(t, err)
	m, err := model.Read(bytes.NewReader(data), "springs")
	require.NoError(t, err)
	m.Bodies[0].Velocity.Linear[0] = 1
	for i := range m.Bodies {
		for k := range m.Joints {
			for _, name := range []*string{&m.Joints[k].Predecessor, &m.Joints[k].Successor} {
				if *name == m.Bodies[i].Name {
					*name += "::x\n"
				}
			}
		}
		for k := range m.Forces {
			for _, name := range []*string{&m.Forces[k].A.Body, &m.Forces[k].B.Body} {
				if *name == m.Bodies[i].Name {
					*name += "::x\n"
				}
			}
		}
		m.Bodies[i].Name += "::x\n"
	}
	m.Joints[0].Type, m.Joints[0].Force, m.Joints[0].Stiffness, m.Joints[0].Damping, m.Joints[0].Rest, m.Joints[0].Turns = model.Cylindrical, nil, nil, nil, nil, nil
	var b bytes.Buffer
	report, err := sdf.Write(&b, m)
	require.ErrorContains(t, err, "no joint of type cylindrical")
	require.Empty(t, b.Bytes())
	text := ""
	for i := range report.Entries {
		text += report.Entries[i].String() + "\n"
	}
	assert.Contains(t, text, "velocities are lost")
	assert.Contains(t, text, "it is called")
	assert.Contains(t, text, `"load" of type wrench`)
}
