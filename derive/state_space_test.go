package derive_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/mechanism"
)

// TestStateSpaceReference compares A, B, C and D with independent ones, for the coordinates of the file.
func TestStateSpaceReference(t *testing.T) {
	files, err := filepath.Glob(referenceDir + "/lin-*.expected.json")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".expected.json")
		t.Run(name, func(t *testing.T) {
			var want struct {
				Arguments   struct{ Coordinates, Inputs, Outputs string }
				Coordinates []struct {
					Joint       string
					Value, Rate float64
					SecondRate  float64 `json:"second_rate"`
				}
				Outputs    []struct{ Value float64 }
				A, B, C, D [][]float64
			}
			readJSON(t, file, &want)
			d, _ := open(t, filepath.Join(referenceDir, name+".model.json"))
			freedoms := func(text string) (list []mechanism.Freedom) {
				for _, n := range strings.Split(text, ",") {
					j, err := d.Mechanism().JointIndex(n)
					require.NoError(t, err)
					list = append(list, mechanism.Freedom{Joint: j})
				}
				return list
			}
			o := derive.StateSpaceOptions{Coordinates: freedoms(want.Arguments.Coordinates), Inputs: freedoms(want.Arguments.Inputs)}
			for _, n := range strings.Split(want.Arguments.Outputs, ",") {
				z, err := d.Output(n)
				require.NoError(t, err)
				o.Outputs = append(o.Outputs, z)
			}
			s, err := d.StateSpace(o)
			require.NoError(t, err)
			for i, c := range want.Coordinates {
				require.InDelta(t, c.Value, s.Coordinates[i].Value, referenceTol)
				require.InDelta(t, c.Rate, s.Coordinates[i].Rate, referenceTol)
				require.InDelta(t, c.SecondRate, s.Coordinates[i].SecondRate, referenceTol*(1+math.Abs(c.SecondRate)))
			}
			for i, z := range want.Outputs {
				require.InDelta(t, z.Value, s.Values[i], referenceTol)
			}
			for _, x := range []struct {
				name      string
				want, got [][]float64
			}{{"A", want.A, s.A}, {"B", want.B, s.B}, {"C", want.C, s.C}, {"D", want.D, s.D}} {
				size := 0.0
				for _, row := range x.want {
					for _, v := range row {
						size = max(size, math.Abs(v))
					}
				}
				for i, row := range x.want {
					require.InDeltaSlice(t, row, x.got[i], referenceTol*size, "row %d of %s", i, x.name)
				}
			}
			own, err := d.StateSpace(derive.StateSpaceOptions{})
			require.NoError(t, err)
			require.Len(t, own.Coordinates, len(want.Coordinates))
		})
	}
}
