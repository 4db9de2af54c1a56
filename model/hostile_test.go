package model_test

import (
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// TestUnitOfAnyPath: a path may lead anywhere, to a whole list too.
func TestUnitOfAnyPath(t *testing.T) {
	m := sample()
	for path, want := range map[string]string{
		"forces": "", "joints": "", "bodies": "", "forces[0]": "", "forces[99].stiffness": "", "joints[0].stiffness[9223372036854775807]": "N/m",
		"$.gravity": "m/s²", "gravity[0][0][0]": "m/s²", "forces.forces.force": "",
	} {
		require.Equal(t, want, m.Unit(path), path)
	}
}

// boasting is a text that says that it is longer than it is, as a file with holes does.
type boasting struct{ io.Reader }

func (boasting) Len() int { return math.MaxInt }

// TestLengthIsNoPromise: the room for a list grows with what has been read, whatever the input says of its length.
func TestLengthIsNoPromise(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"format": "rung-model/1", "bodies": [`)
	for i := range 3000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name": "b%d", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`, i)
	}
	b.WriteString("]}")
	m, err := model.Read(boasting{strings.NewReader(b.String())}, "f")
	require.NoError(t, err)
	require.Len(t, m.Bodies, 3000)
}

// TestSumsInARow: a wheel on a sum of sums, each of the one before, needs no stack for them.
func TestSumsInARow(t *testing.T) {
	sums := check.Few(100_000, 25_000)
	var b strings.Builder
	b.WriteString(`{"name": "t0", "type": "plane"}`)
	for i := range sums {
		fmt.Fprintf(&b, `,{"name": "t%d", "type": "sum", "parts": ["t%d"]}`, i+1, i)
	}
	doc := `{"format": "rung-model/1", "bodies": [` + bodyA + `], "joints": [{"name": "j", "type": "rolling", "radius": 1, "predecessor": "world", "successor": "a", "terrain": "t` + strconv.Itoa(sums) + `"}], "terrains": [` + b.String() + `]}`
	defer debug.SetMaxStack(debug.SetMaxStack(40 * sums)) // bytes, less than a call a sum takes
	_, err := model.Read(strings.NewReader(doc), "doc")
	require.NoError(t, err)
}
