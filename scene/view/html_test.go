package view_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim/replay"
)

// long is a trajectory of so many rows that does not move.
type long struct {
	m     *mechanism.Mechanism
	names []string
	rows  int
}

func newLong(m *mechanism.Mechanism, rows int) *long {
	l := &long{m: m, rows: rows, names: []string{"time"}}
	for i := range m.NumBodies() {
		for _, part := range strings.Fields("px py pz qw qx qy qz vx vy vz wx wy wz") {
			l.names = append(l.names, m.BodyName(i)+"."+part)
		}
	}
	return l
}

func (l *long) Names() []string { return l.names }
func (l *long) Rows() int       { return l.rows }

func (l *long) RowTo(dst []float64, i int) error {
	st := l.m.Initial()
	dst[0] = float64(i)
	for k := range st.Bodies {
		b := &st.Bodies[k]
		at := dst[1+13*k:]
		copy(at, b.Position[:])
		copy(at[3:], b.Rotation[:])
		copy(at[7:], b.Velocity[:])
		copy(at[10:], b.Omega[:])
	}
	return nil
}

func (l *long) ColumnTo(dst []float64, k int) error {
	for i := range dst {
		dst[i] = float64(i)
	}
	return nil
}

func filed(t *testing.T, rows int) (*view.Viewer, error) {
	t.Helper()
	_, m := viewer(t)
	r, err := replay.New(m, newLong(m, rows))
	require.NoError(t, err)
	return view.NewViewer(scene.New(m, scene.Options{}), m.Initial(), "", view.Options{Run: r})
}

// The same run gives the same file, which has no address in it and no script but those of which the policy has the hash.
func TestHTML(t *testing.T) {
	var files [2]bytes.Buffer
	for k := range files {
		v, err := filed(t, 700)
		require.NoError(t, err)
		require.NoError(t, v.HTML(context.Background(), &files[k]))
	}
	assert.True(t, bytes.Equal(files[0].Bytes(), files[1].Bytes()))
	text := files[0].String()
	assert.NotContains(t, text, "http://")
	assert.NotContains(t, text, "https://")
	assert.NotContains(t, text, " src=")
	assert.Contains(t, text, "default-src 'none'; script-src 'sha256-")
	assert.Equal(t, strings.Count(text, "<script"), strings.Count(text, "</script>"))
	assert.Equal(t, 1, strings.Count(text, "</html>"))
	assert.Equal(t, 3, strings.Count(text, "data-path=\"frame?block="), "blocks of 256 rows")
}

// Too many rows are refused with the figure before anything is written, and the end of the context ends it.
func TestHTMLRefused(t *testing.T) {
	v, err := filed(t, 1_000_000)
	require.NoError(t, err)
	var b bytes.Buffer
	assert.ErrorContains(t, v.HTML(context.Background(), &b), "view: 1000000 rows of 6 bodies, 18 joints and 0 curves are 0.32 GB of numbers; a page in a file has at most 0.268: choose fewer rows")
	assert.Zero(t, b.Len())
	v, err = filed(t, 10)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, v.HTML(ctx, &b), context.Canceled)
}
