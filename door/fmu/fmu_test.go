package fmu_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/fmu"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

var here = context.Background()

const fourBar = "../../docs/four-bar.model.json"

// options are those of the four-bar in these tests.
func options(version int) fmu.Options {
	return fmu.Options{
		Version: version, Inputs: []string{"joints[O].force[0]"}, Parameters: []string{"gravity[1]", "joints[C].force[0]"},
		Outputs:   []string{"joint.*.q", "joint.O.qd", "energy.*", "coupler.accx"},
		Run:       []byte(`{"format": "rung-run/1", "tolerance": 1e-10, "until": 2, "every": 0.01}`),
		Libraries: []fmu.Library{{System: fmu.LinuxAMD64, Name: "rung.so", Data: []byte("a library")}},
	}
}

// read returns a model.
func read(t *testing.T, path string) *model.Model {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := model.ReadIn(here, f, path, model.Folder(filepath.Dir(path)))
	require.NoError(t, err)
	return m
}

// pack returns the bytes of a unit.
func pack(t *testing.T, path string, o fmu.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := fmu.Write(here, &b, read(t, path), filepath.Dir(path), o)
	require.NoError(t, err)
	return b.Bytes()
}

// unpack unpacks a unit into a new folder, and returns it with the names of the files.
func unpack(t *testing.T, unit []byte) (folder string, names []string) {
	t.Helper()
	folder = t.TempDir()
	z, err := zip.NewReader(bytes.NewReader(unit), int64(len(unit)))
	require.NoError(t, err)
	for _, f := range z.File {
		names = append(names, f.Name)
		r, err := f.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o777))
		require.NoError(t, os.WriteFile(to, b, 0o666))
	}
	return folder, names
}

// open returns an instance of the four-bar.
func open(t *testing.T) (*fmu.Unit, string) {
	t.Helper()
	folder, _ := unpack(t, pack(t, fourBar, options(2)))
	u, err := fmu.Open(here, filepath.Join(folder, "resources"), "")
	require.NoError(t, err)
	return u, filepath.Join(folder, "resources")
}

// values returns the values of all variables.
func values(t *testing.T, u *fmu.Unit) []float64 {
	t.Helper()
	refs := make([]uint32, u.Variables())
	for i := range refs {
		refs[i] = uint32(i)
	}
	x := make([]float64, len(refs))
	require.NoError(t, u.GetTo(x, refs))
	return x
}

// Value references of options.
const (
	force   = 1
	gravity = 2
	torque  = 3
	outputs = 4
	states  = 12 // behind 8 outputs
)

// TestUnitIsRun: a unit has the bits of a run that is moved on to the same times with the same inputs.
func TestUnitIsRun(t *testing.T) {
	u, resources := open(t)
	text, err := os.ReadFile(filepath.Join(resources, "model.json"))
	require.NoError(t, err)
	m, err := door.Read(here, "model.json", text, nil)
	require.NoError(t, err)
	r, err := m.NewRun(nil, []byte(`{"tolerance": 1e-10, "columns": ["time", "joint.*.q", "joint.O.qd", "energy.*", "coupler.accx"]}`))
	require.NoError(t, err)
	knob, err := m.KnobAt("joints[O].force[0]")
	require.NoError(t, err)
	row := make([]float64, 1+states-outputs)
	require.NoError(t, u.Start(0, 0))
	now := 0.0
	for n, step := range []float64{0.01, 0.25, 1e-6, 0.1, 0.7} {
		push := float64(n % 3)
		require.NoError(t, u.Set([]uint32{force}, []float64{push}))
		require.NoError(t, r.Set([]int{knob}, []float64{push}))
		require.NoError(t, u.Step(here, now, step))
		now += step
		require.NoError(t, r.To(here, now, 0))
		require.NoError(t, r.RowTo(row))
		x := values(t, u)
		require.Equal(t, now, x[0])
		require.Equal(t, push, x[force])
		require.Equal(t, row[1:], x[outputs:states])
	}
	// An input that is set is seen at once by what it accelerates, and by nothing that is integrated.
	before := values(t, u)
	require.NoError(t, u.Set([]uint32{force}, []float64{7}))
	after := values(t, u)
	const last = states - 1
	require.Equal(t, before[outputs:last], after[outputs:last])
	require.NotEqual(t, before[last], after[last])
}

// TestSaved: a state that is saved goes on to the bit, in another instance too, with inputs and tolerance; Reset is as new.
func TestSaved(t *testing.T) {
	u, resources := open(t)
	first := values(t, u)
	require.NoError(t, u.Set([]uint32{force, torque}, []float64{2, 0.25}))
	require.NoError(t, u.Start(0, 1e-7))
	require.NoError(t, u.Step(here, 0, 0.3))
	saved, err := u.Save()
	require.NoError(t, err)
	require.NoError(t, u.Step(here, 0.3, 0.4))
	want := values(t, u)
	other, err := fmu.Open(here, resources, "")
	require.NoError(t, err)
	for _, x := range []*fmu.Unit{u, other} {
		require.NoError(t, x.Set([]uint32{force}, []float64{-4}))
		require.NoError(t, x.Load(saved))
		require.Equal(t, 2.0, values(t, x)[force])
		require.NoError(t, x.Step(here, 0.3, 0.4))
		require.Equal(t, want, values(t, x))
	}
	require.NoError(t, u.Reset())
	require.Equal(t, first, values(t, u))
	require.NoError(t, u.Step(here, 0, 0.7))
	require.NotEqual(t, want, values(t, u))

	foreign := bytes.Replace(saved, []byte(`"token":"`), []byte(`"token":"0`), 1)
	for _, bad := range [][]byte{nil, []byte("{}"), saved[:len(saved)-9], foreign} {
		at := values(t, u)
		require.Equal(t, door.Input, door.StatusOf(u.Load(bad)), "%.40q", bad)
		require.Equal(t, at, values(t, u))
	}
	exchange, _ := exchanging(t, read(t, fourBar), fmu.Options{Version: 2})
	coordinates, err := exchange.Save()
	require.NoError(t, err)
	refusesDamage(t, u, saved)
	refusesDamage(t, exchange, coordinates)
}

// refusesDamage flips a bit in each byte of what is saved, in a short run in every fifth.
func refusesDamage(t *testing.T, u *fmu.Unit, saved []byte) {
	for i := 0; i < len(saved); i += check.Few(1, 5) {
		saved[i] ^= 1
		require.Equal(t, door.Input, door.StatusOf(u.Load(saved)), "byte %d", i)
		saved[i] ^= 1
	}
	require.NoError(t, u.Load(saved))
}

// TestTolerance: the tolerance of a tool decides where the error chooses the steps.
func TestTolerance(t *testing.T) {
	end := func(tolerance float64) float64 {
		u, _ := open(t)
		require.NoError(t, u.Start(0, tolerance))
		require.NoError(t, u.Step(here, 0, 2))
		return values(t, u)[outputs]
	}
	fine := end(1e-12)
	require.InDelta(t, fine, end(0), 1e-7)
	require.Greater(t, math.Abs(fine-end(1e-4)), math.Abs(fine-end(0)))
	u, _ := open(t)
	exchange, _ := exchanging(t, read(t, fourBar), fmu.Options{Version: 2}) // whose steps are those of the tool
	for _, wrong := range []float64{math.NaN(), -1e-9, 1, 1e99, math.Inf(1)} {
		require.Equal(t, door.Input, door.StatusOf(u.Start(0, wrong)), "%v", wrong)
		require.Equal(t, door.Input, door.StatusOf(exchange.Start(0, wrong)), "%v", wrong)
	}
	require.NoError(t, exchange.Start(0, 1e-6))
}

// TestTurns: an output that is an angle goes on over turns. Without gravity and with a motion, the angle is known.
func TestTurns(t *testing.T) {
	m := read(t, fourBar)
	m.Joints, m.Bodies = m.Joints[:1], m.Bodies[:1]
	m.Gravity = [3]float64{}
	var b bytes.Buffer
	_, err := fmu.Write(here, &b, m, "", fmu.Options{Version: 3, Run: []byte(`{"format": "rung-run/1", "tolerance": 1e-12}`)})
	require.NoError(t, err)
	folder, _ := unpack(t, b.Bytes())
	u, err := fmu.Open(here, filepath.Join(folder, "resources"), "")
	require.NoError(t, err)
	start := values(t, u)[1]
	const step = 5.0 // s, at 1 rad/s: most of a turn
	for n := range 5 {
		require.NoError(t, u.Step(here, float64(n)*step, step))
		require.InDelta(t, start+float64(n+1)*step, values(t, u)[1], 1e-9)
	}
}

// TestRefused: what a unit does not take is refused with its name, and has changed nothing.
func TestRefused(t *testing.T) {
	u, resources := open(t)
	before := values(t, u)
	refused := func(err error, text string) {
		t.Helper()
		require.ErrorContains(t, err, text)
		require.Equal(t, before, values(t, u))
	}
	refused(u.Set([]uint32{99}, []float64{1}), "no variable has the value reference 99: they are below ")
	refused(u.Set([]uint32{0}, []float64{1}), "time is no input and no parameter")
	refused(u.Set([]uint32{force, outputs}, []float64{1, 1}), "joint.O.q is no input and no parameter")
	refused(u.Set([]uint32{gravity, force}, []float64{1, math.NaN()}), "joints[O].force[0]: NaN is not finite")
	refused(u.Set([]uint32{force}, nil), "1 value references and 0 values")
	refused(u.GetTo(make([]float64, 1), []uint32{1 << 31}), "no variable has the value reference 2147483648")
	refused(u.Step(here, 0.5, 0.1), "a step from 0.5 s, and the unit is at 0 s")
	refused(u.Step(here, 0, 0), "a step of 0 s at 0 s does not lead on")
	refused(u.Step(here, 0, -1), "a step of -1 s at 0 s does not lead on")
	refused(u.Step(here, 0, math.Inf(1)), "a step of +Inf s from 0 s")
	refused(u.Start(3, 0), "a start at 3 s, and the model is at 0 s")

	_, err := fmu.Open(here, resources, "0123")
	require.ErrorContains(t, err, "belong to another unit, or have been edited")
	_, err = fmu.Open(here, filepath.Dir(resources), "")
	require.Equal(t, door.Input, door.StatusOf(err))
	ended, stop := context.WithCancelCause(here)
	stop(door.ErrStopped)
	require.Equal(t, door.Stopped, door.StatusOf(u.Step(ended, 0, 1)))
}

// TestWriteRefuses: units that cannot be are refused when they are made.
func TestWriteRefuses(t *testing.T) {
	for text, change := range map[string]func(*fmu.Options){
		"version 4 of FMI; there are 2 and 3":     func(o *fmu.Options) { o.Version = 4 },
		"did you mean":                            func(o *fmu.Options) { o.Inputs = []string{"joints[O].forse[0]"} },
		"bodies[crank].mass is part of the model": func(o *fmu.Options) { o.Parameters = []string{"bodies[crank].mass"} },
		`"gravity[1]" is there twice`:             func(o *fmu.Options) { o.Inputs = []string{"gravity[1]"} },
		`no column "joint.P.q"`:                   func(o *fmu.Options) { o.Outputs = []string{"joint.P.q"} },
		"run: until is -1 s, and the model is":    func(o *fmu.Options) { o.Run = []byte(`{"format": "rung-run/1", "until": -1}`) },
		"run: wrenches are the outputs of a unit": func(o *fmu.Options) { o.Run = []byte(`{"format": "rung-run/1", "wrenches": ["A"]}`) },
	} {
		o := options(2)
		change(&o)
		_, err := fmu.Write(here, io.Discard, read(t, fourBar), "", o)
		require.ErrorContains(t, err, text)
		require.Equal(t, door.Input, door.StatusOf(err))
	}
}

// TestNames: what XML lacks is refused, wherever in the document it would stand, and all other characters are kept.
func TestNames(t *testing.T) {
	const lacks, breaks = "has a character that XML lacks", "has a tab or a break of lines"
	for name, wrong := range map[string][2]string{ // of the model, and of a joint
		"a\x01b": {lacks, lacks}, "a\ufffeb": {lacks, lacks}, "a\uffffb": {lacks, lacks}, "a\tb": {"", breaks}, "a\nb": {"", breaks}, "a\rb": {"", breaks},
		"a\ufffdb": {}, "a\x7f\u0085\u2028b": {}, " Kürbel 😀 <&>\"']]> ": {}, "100 % %s m/s²": {},
	} {
		for part, want := range wrong {
			m, o := read(t, fourBar), fmu.Options{Version: 3, Outputs: []string{"joint.*.q"}}
			column := "joint.A.q"
			if part == 0 {
				m.Name = name
			} else {
				m.Joints[0].Name, column = name, "joint."+name+".q"
			}
			var b bytes.Buffer
			_, err := fmu.Write(here, &b, m, "", o)
			if want != "" {
				require.ErrorContains(t, err, want)
				require.Equal(t, door.Input, door.StatusOf(err))
				continue
			}
			require.NoError(t, err, "%q", name)
			folder, _ := unpack(t, b.Bytes())
			text, err := os.ReadFile(filepath.Join(folder, "modelDescription.xml"))
			require.NoError(t, err)
			d := tree(t, text)
			require.Equal(t, m.Name, d.with["modelName"])
			require.True(t, slices.ContainsFunc(d.of("ModelVariables").in, func(v *node) bool { return v.with["name"] == column }), "%q", name)
		}
	}
}

// TestNameOfState: the description of a state has the name of a joint that is in no name of a variable.
func TestNameOfState(t *testing.T) {
	m := read(t, fourBar)
	for name, wrong := range map[string]string{"a\tb": "", "a\x01b": `the name "joint.a\x01b.q" has a character that XML lacks`} {
		m.Joints[0].Name = name
		_, err := fmu.Write(here, io.Discard, m, "", fmu.Options{Version: 2, Outputs: []string{}, States: []mechanism.Freedom{{Joint: 0}}})
		if wrong == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, wrong)
		}
	}
}

// TestDescription: the documents of both versions are golden; equal arguments give equal bytes, and the token is that of the
// files.
func TestDescription(t *testing.T) {
	for _, version := range []int{2, 3} {
		unit := pack(t, fourBar, options(version))
		require.Equal(t, unit, pack(t, fourBar, options(version)))
		folder, names := unpack(t, unit)
		library := map[int]string{2: "binaries/linux64/rung.so", 3: "binaries/x86_64-linux/rung.so"}[version]
		want := []string{"modelDescription.xml", "resources/model.json", "resources/wiring.json", "documentation/index.html", library}
		require.Equal(t, want, names)
		text, err := os.ReadFile(filepath.Join(folder, "modelDescription.xml"))
		require.NoError(t, err)
		named := bytes.Replace(text, []byte(rung.Version()), []byte("VERSION"), 1)
		check.Golden(t, map[int]string{2: "four-bar-2.xml", 3: "four-bar-3.xml"}[version], named)
		var d struct {
			Token string `xml:"guid,attr"`
			Three string `xml:"instantiationToken,attr"`
		}
		require.NoError(t, xml.Unmarshal(text, &d))
		_, err = fmu.Open(here, filepath.Join(folder, "resources"), d.Token+d.Three)
		require.NoError(t, err)
		for _, name := range []string{"model.json", "wiring.json"} {
			path := filepath.Join(folder, "resources", name)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, append(slices.Clone(b), ' '), 0o666))
			_, err = fmu.Open(here, filepath.Join(folder, "resources"), d.Token+d.Three)
			require.ErrorContains(t, err, "have been edited")
			require.NoError(t, os.WriteFile(path, b, 0o666))
		}
	}
}

// TestDefaultExperiment: the default experiment does not outlast the motions of the model, unless the run says so.
func TestDefaultExperiment(t *testing.T) {
	const excavator = "../../docs/excavator.model.json" // whose motions end at 6 s
	const closed = `{"format": "rung-run/1", "start": "close"}`
	stop := func(m *model.Model, run string) string {
		var b bytes.Buffer
		_, err := fmu.Write(here, &b, m, "", fmu.Options{Version: 3, Run: []byte(run)})
		require.NoError(t, err)
		folder, _ := unpack(t, b.Bytes())
		text, err := os.ReadFile(filepath.Join(folder, "modelDescription.xml"))
		require.NoError(t, err)
		return tree(t, text).of("DefaultExperiment").with["stopTime"]
	}
	require.Equal(t, "10", stop(read(t, fourBar), closed))
	m := read(t, excavator)
	require.Equal(t, "6", stop(m, closed))
	require.Equal(t, "8", stop(m, `{"format": "rung-run/1", "start": "close", "until": 8}`))
	driven := slices.IndexFunc(m.Joints, func(j model.Joint) bool { return len(j.Motion) > 0 })
	first := m.Joints[driven].Motion[0]
	first.Times, first.Values = first.Times[:5], first.Values[:5]
	require.Equal(t, "4", stop(m, closed))
	for i := range m.Joints {
		for _, motion := range m.Joints[i].Motion {
			motion.Hold = true
		}
	}
	require.Equal(t, "10", stop(m, closed))
}

// TestFiles: curves that a model names are in the unit, and one that was edited is refused.
func TestFiles(t *testing.T) {
	const coaster = "../../docs/coaster.model.json"
	folder, names := unpack(t, pack(t, coaster, fmu.Options{Version: 3}))
	require.Contains(t, names, "resources/files/0.csv")
	resources := filepath.Join(folder, "resources")
	u, err := fmu.Open(here, resources, "")
	require.NoError(t, err)
	require.NoError(t, u.Step(here, 0, 0.1))
	path := filepath.Join(resources, "files", "0.csv")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), "1", "2", 1)), 0o666))
	_, err = fmu.Open(here, resources, "")
	require.ErrorContains(t, err, "files/0.csv in "+resources+" has been edited")
}
