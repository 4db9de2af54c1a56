package sparse

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// SpyOptions are the optional parts of a picture of a pattern.
type SpyOptions struct {
	Title string // heading; none if empty

	// Fill yields the blocks (row, column) of L as nodes of the reordered
	// matrix, in any order and on either side of the diagonal, each once. They
	// are drawn in both triangles, under the blocks of the matrix. Fill is ranged
	// over twice and must yield the same blocks both times.
	Fill iter.Seq2[int32, int32]

	// Groups are nodes of the reordered matrix, increasing, before which a line is drawn. The
	// number of nodes as an entry draws no line. A line too close to the one before is left
	// out.
	Groups []int32
}

const (
	spySide   = 800 // side of the matrix in the picture, in pixels
	spyMargin = 20
	spyLine   = 20 // height of a line of text

	maxExactNodes  = 1500  // with more nodes the picture shows densities
	maxExactBlocks = 30000 // with more rectangles the picture shows densities
	minGroupGap    = 16    // least distance of group lines, in pixels
)

// spyKind is the kind of block that a rectangle of the picture shows.
type spyKind int

const (
	spyFill spyKind = iota
	spyCoupling
	spyPositive
	spyNegative
	spyKinds
)

// spyColour has the colour of each kind. They differ also for people who cannot tell red from green.
var spyColour = [spyKinds]string{"#cfd3d8", "#4d5662", "#1f6fb4", "#e0731d"}

// spyLabel has the label of each kind in the legend.
var spyLabel = [spyKinds]string{"L", "coupling", "diagonal, sign +", "diagonal, sign −"}

// WriteSpy writes an SVG picture of the blocks of p in the order perm of its
// nodes, perm[new] = old; a nil perm is p's own order. Blocks of both triangles
// are drawn to the scale of their scalars. The diagonal blocks of sign + and − have
// colours of their own, and blocks of sign − are drawn although they are structurally zero. Above 1500
// nodes, or if there are too many blocks, the picture shows a grid of at most
// 800×800 cells shaded by their density, so that it stays below 2 MB.
//
// Equal arguments give equal bytes.
//
// Cost: O(nodes + blocks + fill).
// It returns the error of w. It panics if perm is not a permutation of the
// nodes or a node of opt is out of range.
func WriteSpy(w io.Writer, p *Pattern, perm []int32, opt SpyOptions) error {
	if w == nil || p == nil {
		panic("sparse: no writer or no pattern")
	}
	s := &spy{l: newLayout(p, perm), opt: opt}
	s.check()
	s.out = bufio.NewWriter(w)
	s.write()
	return flush(s.out)
}

// spy is one picture in the making.
type spy struct {
	l    *layout
	opt  SpyOptions
	out  *bufio.Writer
	fill int // blocks that opt.Fill yields
}

// check counts the blocks of the fill. It panics if a node of the options is out of range, or if groups do not increase.
func (s *spy) check() {
	n := int32(len(s.l.perm))
	last := int32(-1)
	for _, g := range s.opt.Groups {
		if g < 0 || g > n {
			panic("sparse: index out of range")
		}
		if g <= last {
			panic("sparse: groups must increase")
		}
		last = g
	}
	if s.opt.Fill == nil {
		return
	}
	for i, j := range s.opt.Fill {
		if i < 0 || i >= n || j < 0 || j >= n {
			panic("sparse: index out of range")
		}
		s.fill++
	}
}

// write writes the whole picture.
func (s *spy) write() {
	const width = spySide + 2*spyMargin
	top := spyMargin
	if s.opt.Title != "" {
		top += spyLine + 10
	}
	height := top + spySide + 2*spyLine + 2*spyMargin
	fmt.Fprintf(s.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14" fill="#20262e">`+"\n",
		width, height, width, height)
	if s.opt.Title != "" {
		s.text("<title>", "</title>\n")
	}
	fmt.Fprintf(s.out, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	if s.opt.Title != "" {
		s.text(fmt.Sprintf(`<text x="%d" y="%d" font-size="18" font-weight="bold">`, spyMargin, spyMargin+14), "</text>\n")
	}
	fmt.Fprintf(s.out, `<g transform="translate(%d %d)">`+"\n", spyMargin, top)
	if s.l.off[len(s.l.perm)] > 0 {
		if s.exact() {
			s.blocks()
		} else {
			s.density()
		}
		s.groups()
	}
	fmt.Fprintf(s.out, `<rect width="%d" height="%d" fill="none" stroke="#20262e"/>`+"\n</g>\n", spySide, spySide)
	s.legend(top + spySide + spyMargin)
	fmt.Fprint(s.out, "</svg>\n")
}

// text writes the title between two tags, escaped; characters that XML does not allow become
// U+FFFD. Errors of writing stay in s.out.
func (s *spy) text(open, end string) {
	s.out.WriteString(open)
	title := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || ' ' <= r && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return utf8.RuneError // strings.Map has made this of bytes that are not UTF-8, too
	}, s.opt.Title)
	// Package encoding/xml would be linked into every program that imports the solver.
	_, _ = strings.NewReplacer(
		`"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;",
	).WriteString(s.out, title)
	s.out.WriteString(end)
}

// exact reports whether every block gets a rectangle of its own.
func (s *spy) exact() bool {
	return len(s.l.perm) <= maxExactNodes && len(s.l.perm)+len(s.l.row)+2*s.fill <= maxExactBlocks
}

// each calls draw for every block of a kind, in both triangles, with its row and column as nodes of the reordered matrix.
func (s *spy) each(kind spyKind, draw func(r, c int)) {
	l := s.l
	switch kind {
	case spyFill:
		if s.opt.Fill == nil {
			return
		}
		for i, j := range s.opt.Fill {
			draw(int(i), int(j))
			if i != j {
				draw(int(j), int(i))
			}
		}
	case spyCoupling:
		for c := range l.perm {
			for _, r := range l.row[l.ptr[c]:l.ptr[c+1]] {
				draw(int(r), c)
			}
		}
	case spyPositive, spyNegative:
		for c, u := range l.perm {
			if (l.p.Sign[u] > 0) == (kind == spyPositive) {
				draw(c, c)
			}
		}
	}
}

// blocks draws a rectangle for every block, one path for each kind, in units of
// scalars. The rectangles are a little smaller than the blocks, so that there are
// gaps between neighbours.
func (s *spy) blocks() {
	off := s.l.off
	fmt.Fprintf(s.out, `<g transform="scale(%.8g)">`+"\n", spySide/float64(off[len(off)-1]))
	for kind := range spyKinds {
		open := false
		s.each(kind, func(r, c int) {
			if !open {
				fmt.Fprintf(s.out, `<path fill="%s" d="`, spyColour[kind])
				open = true
			}
			// Inset by a tenth of a scalar: 0.1 from the corner, 0.2 in size.
			wide, high := off[c+1]-off[c]-1, off[r+1]-off[r]-1
			fmt.Fprintf(s.out, "M%d.1 %d.1h%d.8v%d.8h-%d.8z", off[c], off[r], wide, high, wide)
		})
		if open {
			fmt.Fprint(s.out, `"/>`+"\n")
		}
	}
	fmt.Fprint(s.out, "</g>\n")
}

// groups draws the lines of opt.Groups across the matrix.
func (s *spy) groups() {
	off := s.l.off
	scale := spySide / float64(off[len(off)-1])
	last, open := 0.0, false
	for _, g := range s.opt.Groups {
		x := float64(off[g]) * scale
		if x-last < minGroupGap || spySide-x < minGroupGap {
			continue
		}
		last = x
		if !open {
			fmt.Fprint(s.out, `<path fill="none" stroke="#20262e" stroke-width="0.6" stroke-opacity="0.35" d="`)
			open = true
		}
		fmt.Fprintf(s.out, "M%.2f 0v%dM0 %.2fh%d", x, spySide, x, spySide)
	}
	if open {
		fmt.Fprint(s.out, `"/>`+"\n")
	}
}

// legend writes the key of the colours and the sizes below y.
func (s *spy) legend(y int) {
	x := spyMargin
	for _, kind := range [...]spyKind{spyPositive, spyNegative, spyCoupling, spyFill} {
		if kind == spyFill && s.opt.Fill == nil {
			continue
		}
		label := spyLabel[kind]
		if kind == spyFill {
			label += ", " + count(s.fill, "block")
		}
		fmt.Fprintf(s.out, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			x, y, spyColour[kind], x+18, y+11, label)
		x += 150
	}
	p := s.l.p
	plus, n := p.Positive(), p.Len()
	text := fmt.Sprintf("%s (%d +, %d −) · %s · %d nonzeros in a triangle · band %s",
		count(n, "node"), plus, n-plus, count(p.Dim(), "scalar"), p.NonZeros(), count(s.l.bandwidth(), "node"))
	fmt.Fprintf(s.out, `<text x="%d" y="%d">%s</text>`+"\n", spyMargin, y+spyLine+14, text)
}

// count returns a number with its unit, in the plural unless it is 1.
func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
