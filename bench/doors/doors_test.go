//rung:norace it is about numbers and files, on one thread

package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const root = "../.."

func checkSchema(t *testing.T, path string) {
	schema, err := os.ReadFile("record.schema.json")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, schematest.Validate(t, schematest.Compile(t, schema), string(text)))
}

// TestPageIsOfRecord: the tables of docs/doors.md are what the record gives, and the record has all figures that are measured now.
func TestPageIsOfRecord(t *testing.T) {
	checkSchema(t, "record.json")
	r, err := readRecord("record.json")
	require.NoError(t, err)
	page := filepath.Join(root, "docs", "doors.md")
	before, after, err := beside.Around(page, begin, end)
	require.NoError(t, err)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, before+r.tables()+after, string(text), "go run ./bench/doors -draw")
}

// some returns figures of all subjects but Node's.
func some(t *testing.T) *figures {
	f := newFigures()
	for i := range subjects {
		if subjects[i].part == browsers {
			f.miss(errors.New("no Node"), subjects[i].name)
			continue
		}
		require.NoError(t, f.take(map[string]float64{subjects[i].name: float64(i) / 2}))
	}
	return f
}

// TestRecord: a record that is written is read again, its page has each figure, and what is missed is bold.
func TestRecord(t *testing.T) {
	list, err := some(t).list()
	require.NoError(t, err)
	r := &record{Format: recordFormat, Machine: beside.NewHost(root), Rounds: 1, Figures: list}
	r.Machine.Took = 1
	dir := t.TempDir()
	args := []string{"-root", root, "-record", filepath.Join(dir, "record.json"), "-page", filepath.Join(dir, "page.md"), "-draw"}
	o, err := parse(args, io.Discard)
	require.NoError(t, err)
	require.NoError(t, beside.WriteRecord(o.Record, r))
	checkSchema(t, o.Record)
	require.ErrorContains(t, o.run(), "page.md", "there is no page yet")
	require.NoError(t, os.WriteFile(o.Page, []byte("before\n<!-- doors -->\nearlier tables\n<!-- end of doors -->\nafter\n"), 0o600))
	require.NoError(t, o.run())
	text, err := os.ReadFile(o.Page)
	require.NoError(t, err)
	page := string(text)
	for i := range subjects {
		assert.Contains(t, page, "| "+subjects[i].title+" |")
	}
	assert.NotContains(t, page, "earlier tables")
	for _, part := range []string{"before\n", "after\n", "| not measured: no Node |", "| **1.50 µs** |", "| 0 ns |", "Node not there"} {
		assert.Contains(t, page, part)
	}
}

// TestRefused: records that are none are refused with their place.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(r *record){
		`format: "x"`:             func(r *record) { r.Format = "x" },
		"figures: 1, not":         func(r *record) { r.Figures = r.Figures[:1] },
		"figures[0]: \"x\" is":    func(r *record) { r.Figures[0].Name = "x" },
		"figures[1]: \"empty.py":  func(r *record) { *r.Figures[1].AtMost = 3 },
		"neither a value nor":     func(r *record) { r.Figures[2].Value = nil },
		"a reason, or both":       func(r *record) { r.Figures[2].Missing = "so" },
		"figures[2]: \"four-bar.": func(r *record) { *r.Figures[2].Value = -1 },
	} {
		list, err := some(t).list()
		require.NoError(t, err)
		for i := range list { // which are those of subjects
			if list[i].AtMost != nil {
				x := *list[i].AtMost
				list[i].AtMost = &x
			}
		}
		r := &record{Format: recordFormat, Figures: list}
		require.NoError(t, r.check())
		change(r)
		require.ErrorContains(t, r.check(), want)
	}
	_, err := readRecord(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestTake: the least time counts, and the longest where that is wanted; names and numbers that no program may give are refused.
func TestTake(t *testing.T) {
	f := newFigures()
	for _, x := range []float64{2, 1, 3} {
		require.NoError(t, f.take(map[string]float64{"ladder.go": x, "ctrl-c.run": x, "bits": x}))
	}
	assert.Equal(t, map[string]float64{"ladder.go": 1, "ctrl-c.run": 3, "bits": 3}, f.values)
	for _, bad := range []map[string]float64{{"nothing": 1}, {"fork": -1}, {"fork": math.NaN()}, {"fork": math.Inf(1)}} {
		require.Error(t, f.take(bad))
	}
	_, err := f.list()
	require.ErrorContains(t, err, "was not measured")
}

// TestPieces: numbers and versions as they are written, and numbers that differ.
func TestPieces(t *testing.T) {
	assert.Equal(t, []string{"0", "2", "1000", "0.123", "1.23", "12.3", "1235", "0.0123"},
		[]string{short(0), short(2), short(1000), short(0.1234), short(1.234), short(12.34), short(1234.6), short(0.01234)})
	for version, want := range map[string]int{"GLIBC_2.34": 34, "GLIBC_2.2.5": 2, "": 0, "LIBFFI_3": 0} {
		n, err := minor(version)
		require.NoError(t, err)
		assert.Equal(t, want, n, version)
	}
	for _, version := range []string{"GLIBC_3.1", "GLIBC_2", "GLIBC_PRIVATE"} {
		_, err := minor(version)
		require.Error(t, err, version)
	}
	a, b := make([]byte, 24), make([]byte, 24)
	b[8], b[9] = 1, 1
	assert.Equal(t, []int{0, 1, 3}, []int{differing(a, a), differing(a, b), differing(a, b[:16])})
}

// TestPrograms: what a program prints is taken, and what it says when it fails is in the error.
func TestPrograms(t *testing.T) {
	o, err := parse([]string{"-root", root}, io.Discard)
	require.NoError(t, err)
	o.Quiet = true
	w := beside.NewWatch()
	b := &bench{options: o, paths: newPaths(o.Root, t.TempDir()), found: newFigures(), spent: &w.Peers}
	text, err := b.output([]string{"X=3"}, "sh", "-c", `echo "{\"fork\": $X}"`)
	require.NoError(t, err)
	require.NoError(t, b.give(text))
	assert.InDelta(t, 3, b.found.values["fork"], 0)
	_, err = b.output(nil, "sh", "-c", "echo why >&2; exit 3")
	require.ErrorContains(t, err, "why")
	require.ErrorContains(t, b.give("no"), "no figures")
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("a"), 10_000), 0o600))
	n, err := packed(path)
	require.NoError(t, err)
	assert.Less(t, n, int64(200))
	assert.Positive(t, n)
}

// TestOwn: the models are there, and what Go computes of them is what is compared.
func TestOwn(t *testing.T) {
	doc, err := model.ReadFile("crank-rocker.model.json")
	require.NoError(t, err)
	m, err := mechanism.New(doc)
	require.NoError(t, err)
	st := m.Initial()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	require.NoError(t, m.HoldsIn(k, st, m.DriftUnit()))
	p := newPaths(root, t.TempDir())
	p.ladder = p.fourBar
	o, err := newOwn(p)
	require.NoError(t, err)
	a, err := o.accelerations()
	require.NoError(t, err)
	assert.Len(t, a, 2*8*6*3)
	assert.Zero(t, differing(a[:len(a)/2], a[len(a)/2:]))
	p.ladder = filepath.Join(root, "none.json")
	_, err = newOwn(p)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestFlags: flags that are none are refused.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"more"}, {"-nothing"}} {
		_, err := parse(args, io.Discard)
		require.Error(t, err, args)
	}
}
