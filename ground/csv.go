package ground

import (
	"context"
	"fmt"
	"io"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// Layout is the meaning of the numbers in a line of a CSV file.
type Layout uint8

const (
	Matrix Layout = iota // a line of the file has the heights along a line of the grid
	Points               // a line of the file has x, y and z of a node, in any order
)

// layoutNames are the names in documents.
var layoutNames = [...]string{"matrix", "points"}

// String returns the name in documents.
func (l Layout) String() string { return fault.Enum(layoutNames[:], l, "Layout") }

// ParseLayout returns the layout of a name, or an error that lists the names.
func ParseLayout(name string) (Layout, error) {
	return fault.Parse[Layout]("ground: ", "layout", name, layoutNames[:])
}

// Side says at which edge of the grid the first line of heights of a file lies.
type Side uint8

const (
	Usual Side = iota // south in CSV files, north in pictures
	South             // the least y
	North             // the greatest y
)

// sideNames are the names in documents.
var sideNames = [...]string{"", "south", "north"}

// String returns the name in documents.
func (s Side) String() string { return fault.Enum(sideNames[:], s, "Side") }

// ParseSide returns the side of a name, or an error that lists the names.
func ParseSide(name string) (Side, error) {
	i, err := fault.Parse[uint8]("ground: ", "side", name, sideNames[1:])
	return Side(i + 1), err
}

// CSV describes a text file of numbers with commas, semicolons, tabs or blanks between them. Lines that are blank or
// begin with # are ignored.
type CSV struct {
	Layout          Layout
	Origin, Spacing [2]float64 // Matrix: as in Field, m; points determine their own
	Scale           float64    // height = Offset + Scale · number; 0 stands for 1
	Offset          float64    // m
	First           Side       // Matrix: side of the first line
}

// Read reads the heights of a CSV file, as Format says.
//
// Cost: O(length of the file), for points O(n log n).
func (c *CSV) Read(ctx context.Context, r io.Reader, name string) (*Field, error) {
	halt.Must(ctx)
	p := &Problems{File: name}
	t := newTable(&ended{ctx, r}, p)
	var f *Field
	var err error
	if c.Layout == Points {
		f, err = points(ctx, t, p)
	} else {
		f, err = c.matrix(t, p)
	}
	if err == nil {
		err = p.err()
	}
	if err != nil {
		return nil, err
	}
	scale := c.Scale
	if scale == 0 {
		scale = 1
	}
	for k := range f.Heights {
		f.Heights[k] = c.Offset + scale*f.Heights[k]
	}
	return p.checked(f)
}

// matrix reads a line of the grid from each line of the file that has numbers. It adds lines of an unusual length, and a file
// without numbers, to the problems. It returns errors of reading, and one for more than MaxNodes heights.
func (c *CSV) matrix(t *table, p *Problems) (*Field, error) {
	f := &Field{Origin: c.Origin, Spacing: c.Spacing}
	var where, many []int // for each line of the grid: its line number in the file, and its number of heights
	for {
		n := len(f.Heights)
		var err error
		if f.Heights, err = t.line(f.Heights); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if int64(len(f.Heights)) > MaxNodes {
			return nil, fmt.Errorf("ground: %s: more than 2³¹ heights", name(p))
		}
		where, many = append(where, t.at), append(many, len(f.Heights)-n)
	}
	if len(many) == 0 {
		p.add(0, 0, "no heights")
	}
	nx := usual(many)
	for j, n := range many {
		if n != nx {
			p.add(where[j], 0, "%d heights, other lines have %d", n, nx)
		}
	}
	f.Size = [2]int{nx, len(many)}
	if c.First == North && p.err() == nil {
		upsideDown(f.Heights, nx)
	}
	return f, nil
}

// usual returns the most frequent number of a list, of several the first one, and 0 for an empty list.
func usual(list []int) (best int) {
	count := map[int]int{}
	for _, n := range list {
		count[n]++
	}
	for _, n := range list {
		if count[n] > count[best] {
			best = n
		}
	}
	return best
}
