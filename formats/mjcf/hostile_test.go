package mjcf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// from reads a model from files in memory; main.xml is the model.
func from(files map[string]string, o source.Options) (*model.Model, *source.Report, error) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	r, report, err := mjcf.Read(source.NewFiles(fsys, nil), source.Name{Path: "main.xml"}, &o)
	if err != nil {
		return nil, report, err
	}
	return r.Model, report, nil
}

func TestElements(t *testing.T) {
	formatstest.Elements(t, filepath.Join("testdata", "elements.txt"), func(doc []byte) *source.Report {
		_, report, _ := from(map[string]string{"main.xml": string(doc)}, source.Options{})
		return report
	})
}

const pendulum = `<body name="a"><joint name="j" axis="0 1 0"/><inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/></body>`

// TestRefused holds that what cannot be read ends in one line, with its place, that says why.
func TestRefused(t *testing.T) {
	body := func(inside string) string {
		return `<mujoco><worldbody>` + pendulum + `<body name="b" pos="1 0 0">` + inside + `</body></worldbody></mujoco>`
	}
	in := `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`
	for name, c := range map[string]struct{ text, want string }{
		"root":           {"<robot/>", `main.xml:1:1: error: /robot: element "robot": the file has to begin with mujoco`},
		"empty":          {"<mujoco/>", "has no body"},
		"held twice":     {body(in + `<joint name="k"/>`)[:len(body(in+`<joint name="k"/>`))-len(`</mujoco>`)] + `<equality><joint joint1="k" polycoef="0.5"/><joint joint1="k" polycoef="0.25"/></equality></mujoco>`, `joint "k" is held at another value already`},
		"include self":   {`<mujoco><include file="main.xml"/></mujoco>`, "is included twice"},
		"include cycle":  {`<mujoco><include file="one.xml"/></mujoco>`, "is included twice"},
		"include up":     {`<mujoco><include file="../secret.xml"/></mujoco>`, "the path leaves the folder"},
		"include root":   {`<mujoco><include file="/etc/passwd"/></mujoco>`, "absolute paths are not read"},
		"include net":    {`<mujoco><include file="https://example.org/x.xml"/></mujoco>`, `"https" files are not read`},
		"include folder": {`<mujoco><include file="."/></mujoco>`, "is not a regular file"},
		"include none":   {`<mujoco><include file="none.xml"/></mujoco>`, "file does not exist"},
		"numbers":        {body(in + `<joint axis="1 0"/>`), "has 2 numbers in place of 3"},
		"nan":            {body(in + `<joint axis="1 0 nan"/>`), `"nan" is not a number`},
		"infinite":       {body(in + `<joint damping="inf"/>`), "is not finite"},
		"axis":           {body(in + `<joint axis="0 0 0"/>`), "has no direction"},
		"class":          {body(in + `<joint class="none"/>`), `is unknown: "none"`},
		"orientation":    {`<mujoco><worldbody><body quat="1 0 0 0" euler="0 0 0">` + in + `</body></worldbody></mujoco>`, "is given twice"},
		"inertia":        {body(`<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>`), "two together have to be at least the third"},
		"negative":       {body(`<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/>`), "none may be negative"},
		"no inertia":     {body(`<joint/><inertial pos="0 0 0" mass="1"/>`), "the inertia: is missing"},
		"free inside":    {body(in + `<body><freejoint/>` + in + `</body>`), "has a free joint although it stands in another body"},
		"connect":        {`<mujoco><worldbody>` + pendulum + `</worldbody><equality><connect body1="a" body2="x" anchor="0 0 0"/></equality></mujoco>`, `does not exist: "x"`},
		"itself":         {`<mujoco><worldbody>` + pendulum + `</worldbody><equality><connect body1="a" body2="a" anchor="0 0 0"/></equality></mujoco>`, "joins a body to itself"},
		"composite":      {body(in + `<composite type="cable"/>`), `element "composite": is not read`},
		"mesh":           {`<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`, "an element inertial in its body says what it is"},
		"key":            {`<mujoco><worldbody>` + pendulum + `</worldbody><keyframe><key name="k" qpos="1 2"/></keyframe></mujoco>`, "has 2 numbers, the model has 1"},
		"spring":         {body(in + `<joint springdamper="1 1"/>`), "springdamper"},
		"balls":          {body(in + `<joint type="ball"/><joint type="ball"/><joint/>`), "no joint of the model lets pass these motions"},
		"global":         {`<mujoco><compiler coordinate="global"/><worldbody>` + pendulum + `</worldbody></mujoco>`, "global coordinates are not read"},
		"massless node":  {body(in + `<joint/>`)[:len(body(in+`<joint/>`))-len(`</worldbody></mujoco>`)] + `<body name="n"><joint/></body></worldbody><equality><connect body1="n" body2="a" anchor="0 0 0"/><connect body1="n" body2="b" anchor="0 0 0"/></equality></mujoco>`, "has no mass and 3 joints"},
	} {
		t.Run(name, func(t *testing.T) {
			o := source.Options{}
			if name == "key" {
				o.Key = "k"
			}
			_, _, err := from(map[string]string{"main.xml": c.text, "one.xml": `<x><include file="two.xml"/></x>`, "two.xml": `<x><include file="one.xml"/></x>`}, o)
			require.ErrorContains(t, err, c.want)
			for line := range strings.Lines(err.Error()) {
				require.Less(t, len(line), 400)
			}
			if strings.HasPrefix(name, "include") {
				require.NotContains(t, err.Error(), "\n")
			}
		})
	}
}

// TestManyIncludes bounds the number of files.
func TestManyIncludes(t *testing.T) {
	files := map[string]string{}
	var b strings.Builder
	for k := range source.MaxIncludes + 1 {
		files[fmt.Sprintf("f%d.xml", k)] = "<x/>"
		fmt.Fprintf(&b, `<include file="f%d.xml"/>`, k)
	}
	files["main.xml"] = "<mujoco>" + b.String() + "</mujoco>"
	_, _, err := from(files, source.Options{})
	require.ErrorContains(t, err, "more than 256 files are included")

	for k := range source.MaxDepth + 1 {
		files[fmt.Sprintf("f%d.xml", k)] = fmt.Sprintf(`<x><include file="f%d.xml"/></x>`, k+1)
	}
	files["main.xml"] = `<mujoco><include file="f0.xml"/></mujoco>`
	_, _, err = from(files, source.Options{})
	require.ErrorContains(t, err, "files include each other deeper than 32")
}

// TestFolded holds rows of motions with links without mass between them to a small mass in their place: the difference
// becomes less with the mass.
func TestFolded(t *testing.T) {
	const in = `<inertial pos="0.1 0.05 -0.3" mass="1" fullinertia="0.02 0.03 0.025 0.001 0 0.002"/>`
	for name, joints := range map[string][2]string{
		"universal":   {`<joint name="p" axis="1 0 0"/>`, `<joint name="q" axis="0 1 0"/>`},
		"cylindrical": {`<joint name="p" type="slide" axis="0 0.6 0.8"/>`, `<joint name="q" axis="0 -0.6 -0.8" damping="0.3"/>`},
		"skew":        {`<joint name="p" axis="1 0 0" stiffness="3"/>`, `<joint name="q" axis="0 1 1" pos="0.2 0 0" armature="0.01"/>`},
		"parallel":    {`<joint name="p" axis="0 1 0"/>`, `<joint name="q" axis="0 1 0" pos="0 0 -0.4"/>`},
		"slides":      {`<joint name="p" type="slide" axis="1 0 0"/>`, `<joint name="q" type="slide" axis="0 1 1"/>`},
		"slide, ball": {`<joint name="p" type="slide" axis="1 0 0.5" stiffness="9"/>`, `<joint name="q" type="ball" pos="0 0 0.1"/>`},
	} {
		t.Run(name, func(t *testing.T) {
			text := `<mujoco><worldbody><body name="d">` + joints[0] + `<body name="a">` + joints[1] + in + `</body></body></worldbody></mujoco>`
			files := map[string]string{"main.xml": text}
			m, _, err := from(files, source.Options{})
			require.NoError(t, err)
			require.Len(t, m.Bodies, 1)
			want := formatstest.Accelerations(t, m, "a")
			var off [2]float64
			for k, ratio := range [2]float64{1e-4, 1e-6} {
				light, _, err := from(files, source.Options{Massless: source.GiveMass, MassRatio: ratio})
				require.NoError(t, err)
				require.Len(t, light.Bodies, 2)
				got := formatstest.Accelerations(t, light, "a")
				for i := range want {
					off[k] = max(off[k], abs(got[i]-want[i]))
				}
			}
			t.Logf("differences %.3g", off)
			require.Less(t, off[0], 2e-2) // a mass of 1e-4 on levers of some tenths of a metre, of accelerations of 10
			require.Less(t, off[1], max(off[0]/50, 1e-8))
		})
	}
}

func abs(x float64) float64 { return max(x, -x) }

// FuzzRead holds that any file ends in errors of bounded size, or in a model that passes the rules of the format.
func FuzzRead(fz *testing.F) {
	f := check.NewFuzz(fz)
	f.Limit = 20 * time.Second
	for _, name := range []string{"mechanisms.xml", "shapes.xml"} {
		data, err := os.ReadFile(check.Reference(f, "import", name))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(forces))
	f.Add([]byte(`<mujoco><worldbody>` + pendulum + `</worldbody><equality><weld body1="a" relpose="0 0 0 1 1 0 0"/></equality></mujoco>`))
	f.Add([]byte(three(`<fixed name="t" range="0 1"><joint joint="a" coef="2"/></fixed><fixed name="u"><joint joint="b" coef="1"/><joint joint="c" coef="-3"/></fixed>`,
		`<tendon tendon1="t" tendon2="u" polycoef="0 1 2 3 4"/>`)["main.xml"]))
	f.Add([]byte(circles(`<joint axis="0 0 2" pos="1 0 0"/><joint type="slide"/><joint type="ball" pos="0 0 0.5"/>`)["main.xml"]))
	f.Add([]byte(driven(`<position class="main" joint="b" kp="30" kv="4" forcerange="-1 1"/><general tendon="two" gear="2" biastype="affine" biasprm="1"/>`, "2 1")["main.xml"]))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := source.Options{}
		if strings.Contains(string(data), `<key name="k"`) {
			o.Key = "k"
		}
		m, report, err := from(map[string]string{"main.xml": string(data), "mechanisms-defaults.xml": "<x/>"}, o)
		require.NotNil(t, report)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				require.Less(t, len(line), 2000)
			}
			return
		}
		require.NoError(t, model.Check(m))
		formatstest.Sound(t, report)
	})
}

// TestLarge reads a file of 10 MB.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB")
	}
	var b strings.Builder
	b.WriteString("<mujoco><worldbody>")
	for k := 0; b.Len() < 10<<20; k++ {
		fmt.Fprintf(&b, "<body name=\"body%d\" pos=\"%d 0 0.25\" quat=\"0.7071 0 0.7071 0\">\n<inertial pos=\"0 0 0.1\" mass=\"1.5\" diaginertia=\"0.01 0.02 0.015\"/>\n<joint name=\"joint%d\" axis=\"0 1 0\" range=\"-90 90\" damping=\"0.1\"/>\n<geom type=\"box\" size=\"0.1 0.1 0.2\" rgba=\"1 0 0 1\"/></body>\n", k, k, k)
	}
	b.WriteString("</worldbody></mujoco>")
	begin := time.Now()
	m, _, err := from(map[string]string{"main.xml": b.String()}, source.Options{})
	require.NoError(t, err)
	t.Logf("%d bytes, %d bodies in %v", b.Len(), len(m.Bodies), time.Since(begin))
}

// TestHostileSizes holds that files of some megabytes, each with many of one thing, end in seconds.
func TestHostileSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes")
	}
	const n = 10_000
	many := func(format string, count int) string {
		var b strings.Builder
		for k := range count {
			fmt.Fprintf(&b, format, k)
		}
		return b.String()
	}
	const in = `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`
	model := func(before, inside, after string) string {
		return `<mujoco>` + before + `<worldbody><body name="a">` + in + inside + `</body></worldbody>` + after + `</mujoco>`
	}
	deep := strings.Repeat(`<body><joint/>`+in, 4000) + strings.Repeat("</body>", 4000)
	for name, text := range map[string]string{
		"joints in a row": model("", many(`<joint name="j%d"/>`, n), ""),
		"classes in each other": model(`<default>`+many(`<default class="c%d"><joint armature="1"/>`, 4000)+strings.Repeat("</default>", 4000)+`</default>`,
			`<joint class="c3000"/>`, ""),
		"default elements": model(`<default>`+many(`<joint stiffness="%d"/>`, n)+`</default>`, many(`<body><joint name="j%d"/>`+in+`</body>`, n), ""),
		"deep bodies":      model("", "<joint/>"+deep, ""),
		"deep frames":      model("", strings.Repeat("<frame pos='1 0 0'>", 4000)+many(`<geom name="g%d" size="1"/>`, n)+strings.Repeat("</frame>", 4000), ""),
		"massless chain":   model("", strings.Repeat(`<body><joint/>`, 4000)+in+strings.Repeat("</body>", 4000), ""),
		"tendons": model("", many(`<body><joint name="j%d"/>`+in+`</body>`, n),
			`<tendon><fixed name="t">`+many(`<joint joint="j%d" coef="1"/>`, n)+`</fixed></tendon><equality>`+many(`<tendon name="e%d" tendon1="t"/>`, n)+`</equality>`),
		"sum": model("", many(`<body><joint name="j%d"/>`+in+`</body>`, 60_000), `<tendon><fixed name="t">`+many(`<joint joint="j%d" coef="1"/>`, 60_000)+`</fixed></tendon>`),
		"a mesh of many": model(`<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="`+strings.Repeat("0 2 1 0 1 3 1 2 3 0 3 2 ", 50_000)+`"/></asset>`,
			many(`<body><joint name="j%d"/><geom type="mesh" mesh="m" mass="1"/></body>`, 4000), ""),
		"controls": model(strings.Repeat("<default><motor/></default>", 60_000), "<joint name='j'/>", `<actuator>`+strings.Repeat("<motor joint='j'/>", 60_000)+
			`</actuator><keyframe><key name="k" ctrl="`+strings.Repeat("0 ", 60_000)+`"/></keyframe>`),
		"welds": model("", many(`<body name="w%d">`+in+`<joint/></body>`, n), `<equality>`+many(`<weld body1="w%d" body2="a"/>`, n)+`</equality>`),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, _, err := from(map[string]string{"main.xml": text}, source.Options{Key: map[string]string{"controls": "k"}[name]})
			took := time.Since(begin)
			t.Logf("%d bytes in %v", len(text), took)
			if err != nil {
				require.Less(t, len(err.Error()), 100_000)
			}
			require.Less(t, took, 60*time.Second)
		})
	}
}

// TestDeepIncludes: files that include each other hold elements no deeper in each other than one file may.
func TestDeepIncludes(t *testing.T) {
	const deep = 9000
	files := map[string]string{}
	for k := range source.MaxDepth {
		name, next := fmt.Sprintf("f%d.xml", k), fmt.Sprintf(`<include file="f%d.xml"/>`, k+1)
		if k == 0 {
			name = "main.xml"
		}
		if k == source.MaxDepth-1 {
			next = ""
		}
		body := strings.Repeat("<body>", deep) + next + strings.Repeat("</body>", deep)
		if k == 0 {
			body = "<worldbody>" + body + "</worldbody>"
		}
		files[name] = "<mujoco>" + body + "</mujoco>"
	}
	_, _, err := from(files, source.Options{})
	require.ErrorContains(t, err, "elements stand deeper than 10000 in each other")
	require.Less(t, len(err.Error()), 300)
}
