package derive_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const (
	// referenceTol is the error of a derivative relative to the scale of its direction, as in reference/derivatives/README.md.
	referenceTol = 1e-9
	// roundedScale is the least scale, for kinds of numbers that are zero along a direction: the moments of a rod, for instance, are
	// rounding of numbers around 1.
	roundedScale = 1e-6
	referenceDir = "../reference/derivatives"
)

func readJSON(t testing.TB, path string, to any) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// open returns the derivatives of a model at its state.
func open(t testing.TB, path string) (*derive.Derivatives, *mechanism.State) {
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	require.NoError(t, err)
	d, st := derive.New(plan, m), plan.Initial()
	require.NoError(t, d.At(st))
	return d, st
}

type expected struct {
	Directions []struct {
		derive.NamedChange
		Scale map[string]float64
	}
	Refused []struct{ Name string }
}

// TestReference compares derivatives with independent ones.
func TestReference(t *testing.T) {
	files, err := filepath.Glob(referenceDir + "/*.directions.json")
	require.NoError(t, err)
	require.Len(t, files, 13)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".directions.json")
		t.Run(name, func(t *testing.T) {
			var doc struct{ Directions []derive.NamedDirection }
			var want expected
			readJSON(t, file, &doc)
			readJSON(t, filepath.Join(referenceDir, name+".expected.json"), &want)
			d, _ := open(t, filepath.Join(referenceDir, name+".model.json"))
			refused := map[string]bool{}
			for _, x := range want.Refused {
				refused[x.Name] = true
			}
			at := 0
			worst := 0.0
			for _, n := range doc.Directions {
				in, err := d.Named([]derive.NamedDirection{n})
				require.NoError(t, err, n.Name)
				out := d.NewChanges(1)
				err = d.ForwardTo(out, in, derive.Options{})
				if refused[n.Name] {
					if err == nil {
						t.Errorf("%s is not refused", n.Name)
						continue
					}
					var e *mechanism.Error
					require.ErrorAs(t, err, &e, n.Name)
					require.NotEmpty(t, e.Joint)
					continue
				}
				x := &want.Directions[at]
				at++
				require.Equal(t, x.Name, n.Name)
				if err != nil {
					t.Errorf("%s: %v", n.Name, err)
					continue
				}
				if e := compare(t, x.NamedChange, out.Named(0), x.Scale); e > worst {
					worst = e
				}
			}
			require.Equal(t, len(want.Directions), at)
			t.Logf("largest error %.2g", worst)
		})
	}
}

// compare returns the largest error, relative to the scale of its kind.
func compare(t *testing.T, want, got derive.NamedChange, scale map[string]float64) (worst float64) {
	check := func(kind, what string, want, got float64) {
		s := scale[kind]
		if kind == "" {
			s = 1
		}
		e := math.Abs(want-got) / max(s, roundedScale)
		if worst = max(worst, e); !(e <= referenceTol) {
			t.Errorf("%s: %s is %.12g, want %.12g (scale %.3g)", want2(got, want), what, got, want, s)
		}
	}
	require.Len(t, got.Bodies, len(want.Bodies))
	for i, w := range want.Bodies {
		g := got.Bodies[i]
		at := fmt.Sprintf("%s body %s", want.Name, w.Name)
		for k := range 3 {
			check("", at+" rotation", w.Rotation[k], g.Rotation[k])
			check("", at+" position", w.Position[k], g.Position[k])
			check("", at+" angular", w.Angular[k], g.Angular[k])
			check("", at+" linear", w.Linear[k], g.Linear[k])
			check("com_acceleration", at+" com_acceleration", w.ComAcceleration[k], g.ComAcceleration[k])
			check("angular_acceleration", at+" angular_acceleration", w.AngularAcceleration[k], g.AngularAcceleration[k])
		}
	}
	for j, w := range want.Joints {
		g := got.Joints[j]
		at := fmt.Sprintf("%s joint %s", want.Name, w.Name)
		pair := func(kind, what string, w, g *float64) {
			if (w == nil) != (g == nil) {
				t.Errorf("%s %s: is null: %t, want %t", at, what, g == nil, w == nil)
			} else if w != nil {
				check(kind, at+" "+what, *w, *g)
			}
		}
		for k := range 3 {
			pair("force", "force", w.Total.Force[k], g.Total.Force[k])
			pair("moment", "moment", w.Total.Moment[k], g.Total.Moment[k])
		}
		for i := range w.Q {
			pair("", "q", w.Q[i], g.Q[i])
			pair("", "qd", w.Qd[i], g.Qd[i])
			pair("qdd", "qdd", w.Qdd[i], g.Qdd[i])
		}
	}
	return worst
}

func want2(got, want float64) string { return fmt.Sprintf("off by %.2g", got-want) }
