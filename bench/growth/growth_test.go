package growth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/model"
)

// quick are options of measurements whose times nobody looks at.
var quick = growth.Options{MinTime: 1}

func family(t *testing.T, name string, sizes ...int) growth.Family {
	t.Helper()
	f, err := growth.Generated(name, 1, sizes...)
	require.NoError(t, err)
	return f
}

// TestOwnFamily: sizes of one's own family are those of its function; those of a generated one are numbers of bodies, and a model
// that has been measured is not measured again.
func TestOwnFamily(t *testing.T) {
	grid := func(n int) (*model.Model, error) { return bench.Grid(n, 1) }
	o := quick
	var seen []int
	o.OnRecord = func(r *growth.Record) error { seen = append(seen, r.Bodies); return nil }
	doc, err := growth.Measure(t.Context(), []growth.Family{{Name: "mine", Model: grid, Sizes: []int{2, 4}}, family(t, "grid", 9, 10, 16)}, o)
	require.NoError(t, err)
	require.Equal(t, []int{4, 16, 9, 16}, seen)
	require.Len(t, doc.Records, 4)
	require.Len(t, doc.Fits, 2)
	assert.Equal(t, doc.Records[1].FactorFlops, doc.Records[3].FactorFlops, "one model")
	assert.Equal(t, "sparse", doc.Records[0].Method)
}

// TestArmatureIsMeasured: a system with flywheels has a residual, too.
func TestArmatureIsMeasured(t *testing.T) {
	doc, err := growth.Measure(t.Context(), []growth.Family{family(t, "biped", 1)}, quick)
	require.NoError(t, err)
	require.Len(t, doc.Records, 1)
	require.Less(t, doc.Records[0].Residual, 1e-12)
}

// TestDocumentIsRead: what is written is read again.
func TestDocumentIsRead(t *testing.T) {
	o := quick
	o.Methods = growth.Methods()
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	doc, err := growth.Measure(t.Context(), []growth.Family{family(t, "chain", 3, 6), growth.Single("one", m)}, o)
	require.NoError(t, err)
	require.Len(t, doc.Records, 3*len(o.Methods))
	require.Len(t, doc.Fits, len(o.Methods), "a single model does not grow")
	require.Len(t, doc.Crossovers, len(o.Methods)-1)
	require.Len(t, doc.Comparisons, 1)
	assert.Equal(t, "one", doc.Comparisons[0].Model)
	var b, again bytes.Buffer
	require.NoError(t, doc.WriteJSON(&b))
	var read growth.Document
	require.NoError(t, json.Unmarshal(b.Bytes(), &read))
	require.NoError(t, read.WriteJSON(&again))
	require.Equal(t, b.String(), again.String())
}

// TestMissing: without OnMissing, sizes that are left out are no error and others are; with it, all of them are told and the rest goes on.
func TestMissing(t *testing.T) {
	broken := errors.New("no such size")
	some := growth.Family{Name: "some", Sizes: []int{3, 4, 5}, Model: func(n int) (*model.Model, error) {
		if n == 4 {
			return nil, broken
		}
		return bench.Chain(n, 1)
	}}
	_, err := growth.Measure(t.Context(), []growth.Family{some}, quick)
	require.ErrorIs(t, err, broken)
	at := new(growth.SizeError)
	require.ErrorAs(t, err, &at)
	require.Equal(t, growth.SizeError{Family: "some", Method: "sparse", Size: 4, Err: broken}, *at)

	o := quick
	o.Methods = []string{growth.Articulated, "sparse"}
	doc, err := growth.Measure(t.Context(), []growth.Family{family(t, "ladder", 4, 6)}, o)
	require.NoError(t, err)
	require.Len(t, doc.Records, 2, "of the sparse method")

	var told []growth.SizeError
	o.OnMissing = func(e *growth.SizeError) error { told = append(told, *e); return nil }
	doc, err = growth.Measure(t.Context(), []growth.Family{some, family(t, "ladder", 4, 6)}, o)
	require.NoError(t, err)
	require.Len(t, doc.Records, 2+2+2)
	require.Len(t, told, 3)
	require.ErrorIs(t, &told[0], broken)
	require.ErrorIs(t, &told[2], growth.ErrLoops)
	require.Equal(t, 4, told[2].Size, "the first that is left out, once")

	o.MaxTime = 1
	told = nil
	doc, err = growth.Measure(t.Context(), []growth.Family{family(t, "chain", 4, 6, 8)}, o)
	require.NoError(t, err)
	require.Len(t, doc.Records, 2)
	require.Len(t, told, 2)
	require.ErrorIs(t, &told[0], growth.ErrTooLong)
}

// TestMeasureEnds: with its context, with what a function of the options returns, and before it begins where a name is wrong.
func TestMeasureEnds(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, method := range growth.Methods() {
		ctx, cancel = context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
		_, err := growth.Measure(ctx, []growth.Family{family(t, "chain", 5)}, growth.Options{MinTime: time.Hour, Methods: []string{method}})
		require.ErrorIs(t, err, cause, method)
	}
	_, err := growth.Measure(ctx, []growth.Family{family(t, "chain", 5)}, quick)
	require.ErrorIs(t, err, cause, "ended before")
	o := quick
	o.OnRecord = func(*growth.Record) error { return cause }
	_, err = growth.Measure(t.Context(), []growth.Family{family(t, "chain", 5)}, o)
	require.ErrorIs(t, err, cause)
	_, err = growth.Measure(t.Context(), nil, growth.Options{Methods: []string{"sparce"}})
	require.ErrorContains(t, err, "sparse")
	_, err = growth.Generated("lader", 1)
	require.ErrorIs(t, err, bench.ErrFamily)
	require.ErrorContains(t, err, "ladder")
	require.PanicsWithValue(t, "bench/growth: no model", func() { growth.Single("", nil) })
}
