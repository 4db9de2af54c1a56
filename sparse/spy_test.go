package sparse_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// The colours of the picture.
const (
	positive = "#1f6fb4"
	negation = "#e0731d"
	coupling = "#4d5662"
	ofL      = "#cfd3d8"
)

// picture is what a test reads of an SVG: the paths by colour, and the text.
type picture struct {
	fill, stroke map[string]string
	text         string
	size         int
}

func spy(t *testing.T, p *sparse.Pattern, perm []int32, opt sparse.SpyOptions) picture {
	t.Helper()
	var b, again bytes.Buffer
	require.NoError(t, sparse.WriteSpy(&b, p, perm, opt))
	require.NoError(t, sparse.WriteSpy(&again, p, perm, opt))
	require.True(t, bytes.Equal(b.Bytes(), again.Bytes()), "the same bytes each time")
	pic := picture{fill: map[string]string{}, stroke: map[string]string{}, size: b.Len()}
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return pic
		}
		require.NoError(t, err, "well-formed")
		switch x := token.(type) {
		case xml.CharData:
			pic.text += string(x)
		case xml.StartElement:
			a := map[string]string{}
			for _, at := range x.Attr {
				_, twice := a[at.Name.Local]
				require.False(t, twice, "attribute %s twice", at.Name.Local)
				a[at.Name.Local] = at.Value
			}
			if x.Name.Local == "path" {
				pic.fill[a["fill"]] += a["d"]
				pic.stroke[a["stroke"]] += a["d"]
			}
		}
	}
}

var rectangle = regexp.MustCompile(`M(\d+)\.1 (\d+)\.1h(\d+)\.8v(\d+)\.8h-(\d+)\.8z`)

// rectangles returns the {column, row, width, height} of an exact picture.
func rectangles(t *testing.T, path string) map[[4]int]bool {
	t.Helper()
	set := map[[4]int]bool{}
	for _, m := range rectangle.FindAllStringSubmatch(path, -1) {
		var v [5]int
		for i := range v {
			v[i], _ = strconv.Atoi(m[i+1])
		}
		require.Equal(t, v[2], v[4], "closed")
		r := [4]int{v[0], v[1], v[2] + 1, v[3] + 1}
		require.False(t, set[r], "drawn twice: %v", r)
		set[r] = true
	}
	require.Equal(t, strings.Count(path, "M"), len(set), path)
	return set
}

func TestSpyDrawsEveryBlockOnce(t *testing.T) {
	m := sparsetest.Matrix(6, 8, 14)
	p := m.Pattern
	perm := sparsetest.Perm(check.Rand(6), p.Len())
	at := make([]int, p.Len())
	o := 0
	for _, u := range perm {
		at[u] = o
		o += int(p.Size[u])
	}
	want := map[string]map[[4]int]bool{positive: {}, negation: {}, coupling: {}}
	for i := range p.Len() {
		si := int(p.Size[i])
		colour := positive
		if p.Sign[i] < 0 {
			colour = negation
		}
		want[colour][[4]int{at[i], at[i], si, si}] = true
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			sj := int(p.Size[j])
			want[coupling][[4]int{at[j], at[i], sj, si}] = true
			want[coupling][[4]int{at[i], at[j], si, sj}] = true
		}
	}
	pic := spy(t, p, perm, sparse.SpyOptions{})
	for colour, set := range want {
		assert.Equal(t, set, rectangles(t, pic.fill[colour]), colour)
	}
	assert.NotContains(t, pic.fill, ofL)
}

func TestSpyOfALadder(t *testing.T) {
	p, perm := ladder(8)
	pic := spy(t, p, perm, ladderOptions(p, perm, 8))
	assert.Len(t, rectangles(t, pic.fill[positive]), 16)
	assert.Len(t, rectangles(t, pic.fill[negation]), 24)
	assert.Len(t, rectangles(t, pic.fill[coupling]), 2*(2+14+14+16))
	assert.Len(t, rectangles(t, pic.fill[ofL]), 2*len(factorBlocks(p, perm)))
	assert.Contains(t, pic.text, "40 nodes (16 +, 24 −) · 216 scalars · 1716 nonzeros in a triangle · band 6 nodes")
	assert.Contains(t, pic.text, "L, "+strconv.Itoa(len(factorBlocks(p, perm)))+" blocks")

	var b bytes.Buffer
	require.NoError(t, sparse.WriteSpy(&b, p, perm, ladderOptions(p, perm, 8)))
	check.Golden(t, "ladder8.svg", b.Bytes())
}

func ladderOptions(p *sparse.Pattern, perm []int32, levels int) sparse.SpyOptions {
	opt := sparse.SpyOptions{Title: "Ladder, level by level"}
	opt.Fill = func(yield func(i, j int32) bool) {
		for _, b := range factorBlocks(p, perm) {
			if !yield(b[0], b[1]) {
				return
			}
		}
	}
	for k := range levels + 1 {
		opt.Groups = append(opt.Groups, int32(5*k))
	}
	return opt
}

func TestSpyGroups(t *testing.T) {
	p, perm := ladder(8)
	lines := func(groups ...int32) int {
		return strings.Count(spy(t, p, perm, sparse.SpyOptions{Groups: groups}).stroke["#20262e"], "M")
	}
	assert.Equal(t, 0, lines())
	assert.Equal(t, 0, lines(0, 40), "the frame is there already")
	assert.Equal(t, 2*3, lines(5, 10, 15))
	large, order := ladder(2000)
	all := make([]int32, len(order))
	for i := range all {
		all[i] = int32(i)
	}
	n := strings.Count(spy(t, large, order, sparse.SpyOptions{Groups: all}).stroke["#20262e"], "M")
	assert.InDelta(t, 2*800/16, n, 4, "lines keep their distance")
}

func TestSpyTitle(t *testing.T) {
	p, _ := ladder(1)
	const title = "a < b & \"c\" 'd' ]]> – é"
	assert.Equal(t, 2, strings.Count(spy(t, p, nil, sparse.SpyOptions{Title: title}).text, title))
	odd := "\t\n\r\v <>&\"'\x7f\u0085\uD7FF\uE000\uFFFD\uFFFE\uFFFF\U00010000\xed\xa0\x80"
	var want, got bytes.Buffer
	require.NoError(t, xml.EscapeText(&want, []byte(odd)))
	require.NoError(t, sparse.WriteSpy(&got, p, nil, sparse.SpyOptions{Title: odd}))
	assert.Equal(t, 2, strings.Count(got.String(), ">"+want.String()+"<"), "escaped as encoding/xml does")
	assert.Contains(t, spy(t, p, nil, sparse.SpyOptions{Title: "x\x00\xff"}).text, "x\uFFFD\uFFFD")
}

func TestSpyOfNothing(t *testing.T) {
	p := sparse.NewPattern(nil, nil, []int32{0}, nil)
	pic := spy(t, p, nil, sparse.SpyOptions{Groups: []int32{0}})
	assert.Contains(t, pic.text, "0 nodes (0 +, 0 −) · 0 scalars")
	assert.Empty(t, pic.fill)
	one := sparse.NewPattern([]int8{1}, []int8{1}, []int32{0, 0}, nil)
	pic = spy(t, one, nil, sparse.SpyOptions{})
	assert.Contains(t, pic.text, "1 node (1 +, 0 −) · 1 scalar · 1 nonzeros")
	assert.Equal(t, map[[4]int]bool{{0, 0, 1, 1}: true}, rectangles(t, pic.fill[positive]))
}

const pictureLimit = 2_000_000 // bytes

// TestSpyDensity draws large patterns: cells within the grid, none twice, the
// diagonal without a gap, and a bounded size.
func TestSpyDensity(t *testing.T) {
	scattered := sparsetest.Matrix(1, 20000, 30000).Pattern
	band, order := ladder(10000)
	small, smallOrder := ladder(60)
	for _, c := range []struct {
		name string
		p    *sparse.Pattern
		perm []int32
		opt  sparse.SpyOptions
	}{
		{"band", band, order, sparse.SpyOptions{Title: "band"}},
		{"band as built", band, nil, sparse.SpyOptions{}},
		{"scattered", scattered, nil, sparse.SpyOptions{}},
		{"full factor", small, smallOrder, sparse.SpyOptions{Fill: func(yield func(i, j int32) bool) {
			for i := range int32(300) {
				for j := range i {
					if !yield(i, j) {
						return
					}
				}
			}
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pic := spy(t, c.p, c.perm, c.opt)
			assert.Less(t, pic.size, pictureLimit)
			cells, side := cellsOf(t, pic)
			assert.Contains(t, []int{800, 400, 200}, side)
			for i := range side {
				at := cells[i][i]
				require.True(t, at == positive || at == negation, "diagonal cell %d is %q", i, at)
				for j := range i {
					if cells[i][j] != cells[j][i] {
						t.Fatalf("not symmetric at (%d, %d)", i, j)
					}
				}
			}
		})
	}
}

// cellsOf returns the colour of each cell, and the number of cells along the
// longest row.
func cellsOf(t *testing.T, pic picture) (cells *[800][800]string, side int) {
	t.Helper()
	cells = new([800][800]string)
	for colour, path := range pic.stroke {
		require.Contains(t, []string{positive, negation, coupling, ofL}, colour)
		for _, run := range strings.Split(path, "M")[1:] {
			x, rest, _ := strings.Cut(run, " ")
			y, length, _ := strings.Cut(rest, "h")
			row, err1 := strconv.Atoi(y)
			from, err2 := strconv.Atoi(x)
			n, err3 := strconv.Atoi(length)
			require.NoError(t, errors.Join(err1, err2, err3), run)
			for c := from; c < from+n; c++ {
				if cells[row][c] != "" {
					t.Fatalf("cell (%d, %d) twice", row, c)
				}
				cells[row][c] = colour
			}
			side = max(side, from+n)
		}
	}
	return cells, side
}

func TestSpyPanics(t *testing.T) {
	p, perm := ladder(2)
	fill := func(i, j int32) sparse.SpyOptions {
		return sparse.SpyOptions{Fill: func(yield func(i, j int32) bool) { yield(i, j) }}
	}
	groups := func(g ...int32) sparse.SpyOptions { return sparse.SpyOptions{Groups: g} }
	const index = "sparse: index out of range"
	for name, c := range map[string]struct {
		perm []int32
		opt  sparse.SpyOptions
		want string
	}{
		"order":           {perm[1:], sparse.SpyOptions{}, "sparse: length mismatch"},
		"fill row":        {perm, fill(10, 0), index},
		"fill column":     {perm, fill(0, -1), index},
		"group below":     {perm, groups(-1), index},
		"group above":     {perm, groups(11), index},
		"groups decrease": {perm, groups(5, 5), "sparse: groups must increase"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.PanicsWithValue(t, c.want, func() { _ = sparse.WriteSpy(io.Discard, p, c.perm, c.opt) })
		})
	}
}
