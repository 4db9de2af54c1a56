package modeltest

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// Extremes makes documents with extreme numbers from small models of all joint types. Fuzzing of
// bytes seldom makes valid documents.
type Extremes struct{ docs [][]byte }

// extremeModels are small models, so that a fuzz target can try many documents. Inputs in testdata
// contain the indices of models and values, so new ones are appended, here and in extremeValues.
var extremeModels = []string{
	"golden/spinning-top.model.json", "golden/pendulum.model.json", "golden/islands.model.json",
	"golden/slider-crank-planar.model.json", "golden/slider-crank-spatial.model.json", "golden/four-bar.model.json",
	"golden/driven-crank.model.json", "golden/rbda-8-3.model.json", "golden/bricard-6r.model.json",
	"golden/type-prismatic.model.json", "golden/type-helical-chain.model.json", "golden/type-helical-loop.model.json",
	"golden/type-spherical.model.json", "golden/type-point-on-plane.model.json", "golden/type-planar.model.json",
	"golden/type-cylindrical.model.json", "golden/type-distance.model.json", "golden/type-sphere-in-cylinder.model.json",
	"golden/type-fixed.model.json", "golden/type-universal.model.json", "golden/springs.model.json",
	"hard/sim-equilibrium-panic.json", "hard/sim-modes-hang.json", "hard/sim-springs.json",
	"joints/composite-prr-loop.model.json", "joints/composite-rr-loop.model.json",
	"joints/point-governor.model.json", "joints/slender-slider-crank.model.json", "joints/gripper-mimic.model.json", "joints/armature-floating.model.json",
}

// extremeEdits is the largest number of edits of a document, and extremeSeeds the number of
// edited documents of each model among the seeds.
const extremeEdits, extremeSeeds = 8, 4

// NewExtremes reads the models and adds each model to the seeds of the fuzz target f, without edits and with some.
// The arguments of the target are those of Model, a uint8 and bytes.
func NewExtremes(f interface {
	testing.TB
	Add(args ...any)
}) *Extremes {
	f.Helper()
	e := LoadExtremes(f)
	for i := range e.docs {
		f.Add(uint8(i), []byte{})
		rng := check.Rand(uint64(i))
		for range extremeSeeds {
			edits := make([]byte, 3*(1+rng.IntN(2)))
			for k := range edits {
				edits[k] = byte(rng.IntN(256))
			}
			f.Add(uint8(i), edits)
		}
	}
	return e
}

// LoadExtremes reads the models.
func LoadExtremes(t testing.TB) *Extremes {
	t.Helper()
	e := &Extremes{}
	for _, name := range extremeModels {
		doc, err := os.ReadFile(check.Reference(t, name))
		if err != nil {
			t.Fatal(err)
		}
		e.docs = append(e.docs, doc)
	}
	return e
}

// Model returns model number which with edits. Each edit has three bytes: two choose a
// number of the document, and one chooses its new value. Orientations do not change, and inertias are
// multiplied as a whole, so that most documents are valid. It returns nil if the document is not valid.
func (e *Extremes) Model(t *testing.T, which uint8, edits []byte) *model.Model {
	t.Helper()
	m, err := model.Read(bytes.NewReader(e.docs[int(which)%len(e.docs)]), "model")
	if err != nil {
		t.Fatal(err)
	}
	var numbers [][]float64
	numbers = numbersOf(numbers, reflect.ValueOf(m).Elem())
	edits = edits[:min(len(edits), 3*extremeEdits)]
	for ; len(edits) >= 3; edits = edits[3:] {
		n := numbers[(256*int(edits[0])+int(edits[1]))%len(numbers)]
		if len(n) == 1 {
			n[0] = extreme(n[0], edits[2])
			continue
		}
		for k := range n {
			n[k] *= math.Pow(10, float64(edits[2])-128)
		}
	}
	var doc bytes.Buffer
	if model.Write(&doc, m) != nil {
		return nil
	}
	m, err = model.Read(&doc, "extreme")
	if err != nil {
		return nil
	}
	return m
}

// numbersOf appends to list a slice for each number in v, and one slice for the six numbers of an inertia.
func numbersOf(list [][]float64, v reflect.Value) [][]float64 {
	switch v.Kind() {
	case reflect.Float64:
		return append(list, one(v))
	case reflect.Pointer:
		if !v.IsNil() {
			list = numbersOf(list, v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			list = numbersOf(list, v.Index(i))
		}
	case reflect.Struct:
		if I, ok := v.Addr().Interface().(*model.Inertia); ok {
			return append(list, (*[6]float64)(reflect.ValueOf(I).UnsafePointer())[:])
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Orientation" {
				list = numbersOf(list, v.Field(i))
			}
		}
	}
	return list
}

// one returns a slice that refers to the number v.
func one(v reflect.Value) []float64 { return (*[1]float64)(v.Addr().UnsafePointer())[:] }

// extremeValues are numbers whose sums, squares or products overflow or underflow, and numbers close to these.
var extremeValues = [...]float64{
	0, 1, 1e308, math.MaxFloat64, 9e307, 1e300, 1e250, 1e200, 1e160, 1.4e154, 1e150, 1e120, 1e103, 1e100, 1e77, 1e60, 1e50, 1e38, 1e30,
	1e20, 1e16, 1e12, 1e10, 1e8, 1e6, 1e4, 1e2, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-16, 1e-20, 1e-30, 1e-38, 1e-50,
	1e-60, 1e-77, 1e-100, 1e-120, 1e-150, 1e-154, 1e-160, 1e-200, 1e-250, 1e-300, 1e-308, 5e-324,
}

// extreme returns the new value of x for the byte b of an edit: an extreme value of either sign, or x times a
// power of ten.
func extreme(x float64, b byte) float64 {
	const n = len(extremeValues)
	switch i := int(b); {
	case i < n:
		return extremeValues[i]
	case i < 2*n:
		return -extremeValues[i-n]
	default:
		return x * math.Pow(10, float64(i)-178)
	}
}
