package ground

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// nodeTol is the largest distance of a point from its node along an axis, in units of the spacing.
const nodeTol = 1e-6

// point is a point of a file, with its line.
type point struct {
	line    int
	x, y, z float64
}

// points reads a field from a file with x, y and z of a node in each line. It adds the faults of the file to p; the field is nil if
// there are any before the points are placed. It returns errors of reading, and the cause of ctx.
func points(ctx context.Context, t *table, p *Problems) (*Field, error) {
	list, err := readPoints(t, p)
	if err != nil || p.err() != nil {
		return nil, err
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	var f Field
	var size [2]float64
	for c, name := range "xy" {
		v := make([]float64, len(list))
		for k, q := range list {
			v[k] = [2]float64{q.x, q.y}[c]
		}
		if v = sorted(v, flag); flag.Up() {
			return nil, context.Cause(ctx)
		}
		switch f.Origin[c], f.Spacing[c], size[c] = regular(v); {
		case size[c] < 2:
			p.add(0, 0, "all points have the same %c (value %v)", name, v[0])
		case !algebra.Finite(f.Spacing[c]):
			p.add(0, 0, "the points are too far apart along %c (value %v, %v)", name, v[0], v[len(v)-1])
		}
	}
	if p.err() == nil && size[0]*size[1] > MaxNodes {
		p.add(0, 0, "the points are no regular grid, or one of more than 2³¹ nodes: spacing %v by %v", f.Spacing[0], f.Spacing[1])
	}
	if p.err() != nil {
		return nil, nil
	}
	f.Size = [2]int{int(size[0]), int(size[1])}
	f.place(list, p)
	return &f, nil
}

// readPoints reads x, y and z of each line. It adds lines with another number of values, and a file without points, to p.
//
// It returns errors of reading, and one for more points than a field may have nodes.
func readPoints(t *table, p *Problems) (list []point, err error) {
	var v []float64
	for {
		if v, err = t.line(v[:0]); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if len(v) != 3 {
			p.add(t.at, 0, "%d numbers, not x, y and z", len(v))
			continue
		}
		if int64(len(list)) == MaxNodes {
			return nil, fmt.Errorf("ground: %s: more than 2³¹ points", name(p))
		}
		list = append(list, point{line: t.at, x: v[0], y: v[1], z: v[2]})
	}
	if len(list) == 0 {
		p.add(0, 0, "no points")
	}
	return list, nil
}

// name returns the name of the file of p for a message.
func name(p *Problems) string { return fault.Line(p.File) }

// sorted returns the values in increasing order, or nil if the flag goes up. It sorts chunks and merges them, so that it can look
// at the flag between them.
func sorted(v []float64, flag *halt.Flag) []float64 {
	const chunk = 1 << 15
	for k := 0; k < len(v) && !flag.Up(); k += chunk {
		slices.Sort(v[k:min(k+chunk, len(v))])
	}
	to := make([]float64, len(v))
	for n := chunk; n < len(v); n *= 2 {
		for k := 0; k < len(v); k += 2 * n {
			mid, end := min(k+n, len(v)), min(k+2*n, len(v))
			if !merge(to[k:end], v[k:mid], v[mid:end], flag) {
				return nil
			}
		}
		v, to = to, v
	}
	return v
}

// merge merges the sorted lists a and b into to. It returns false if the flag goes up.
func merge(to, a, b []float64, flag *halt.Flag) bool {
	for k := range to {
		if flag.Every(k) {
			return false
		}
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			to[k], a = a[0], a[1:]
		} else {
			to[k], b = b[0], b[1:]
		}
	}
	return true
}

// regular returns the least of the values v, which are in increasing order, the spacing of the different ones, and the number of nodes
// with that spacing from the least to the greatest value. If all are equal, the spacing is 0 and n is 1. If the difference between the
// least and the greatest value overflows, the spacing is not finite.
func regular(v []float64) (origin, spacing, n float64) {
	widest := 0.0
	for k := range v[1:] {
		widest = max(widest, v[k+1]-v[k])
	}
	if widest == 0 {
		return v[0], 0, 1
	}
	least := widest
	for k := range v[1:] {
		if d := v[k+1] - v[k]; d > 10*nodeTol*widest { // closer values belong to the same line or column
			least = min(least, d)
		}
	}
	length := v[len(v)-1] - v[0]
	n = math.Round(length / least)
	return v[0], length / n, n + 1
}

// place gives every node the height of its point. It adds to p points that are at no
// node, nodes with two points, and the first node without a point.
func (f *Field) place(list []point, p *Problems) {
	nodes := f.Size[0] * f.Size[1]
	// lines has the line of the point of each node, 0 for none. If there are too few points, one of the first len(list)+1 nodes
	// lacks one.
	lines := make([]int, min(nodes, len(list)+1))
	f.Heights = make([]float64, len(lines))
	for _, q := range list {
		u, v := (q.x-f.Origin[0])/f.Spacing[0], (q.y-f.Origin[1])/f.Spacing[1]
		i, j := math.Round(u), math.Round(v)
		if math.Abs(u-i) > nodeTol || math.Abs(v-j) > nodeTol {
			x, y := f.Place(int(i), int(j))
			p.add(q.line, 0, "no node of the regular grid; the nearest is x %v, y %v (value %v, %v)", x, y, q.x, q.y)
		}
		k := int(j)*f.Size[0] + int(i)
		if k >= len(lines) {
			continue
		}
		if lines[k] > 0 {
			p.add(q.line, 0, "the same node as in line %d (value %v, %v)", lines[k], q.x, q.y)
		}
		lines[k], f.Heights[k] = q.line, q.z
	}
	if hole := slices.Index(lines, 0); hole >= 0 {
		x, y := f.Place(hole%f.Size[0], hole/f.Size[0])
		p.add(0, 0, "%d points for %d × %d nodes; the first without one is x %v, y %v", len(list), f.Size[0], f.Size[1], x, y)
	}
}
