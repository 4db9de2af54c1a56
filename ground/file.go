package ground

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// Format reads the heights of a file: *CSV or *PNG.
type Format interface {
	// Read reads heights from r; name names the file in messages. It returns a *Problems for faults of the file, and
	// other errors for faults of reading and for the end of ctx.
	Read(ctx context.Context, r io.Reader, name string) (*Field, error)
}

// ReadFile reads the heights of a file of a file system.
//
// It returns the errors of Format.Read and of opening the file.
func ReadFile(ctx context.Context, files fs.FS, name string, format Format) (*Field, error) {
	halt.Must(ctx)
	if files == nil || format == nil {
		panic("ground: no files or no format")
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return format.Read(ctx, f, name)
}

// Problem is one fault of a file. Line and Column count from 1; 0 is none.
type Problem struct {
	Line, Column int
	Text         string // with the value
}

// mostProblems is the largest number of problems that are listed.
const mostProblems = 20

// Problems are the faults of a file: the first of them as a list, and the number of the others.
type Problems struct {
	File string
	List []Problem
	More int // number of problems that are not in List
}

// add adds a problem to the list or, if that is full, to More.
func (p *Problems) add(line, column int, format string, args ...any) {
	if len(p.List) == mostProblems {
		p.More++
		return
	}
	p.List = append(p.List, Problem{line, column, fmt.Sprintf(format, args...)})
}

// err returns p if there is a problem, else nil.
func (p *Problems) err() error {
	if len(p.List) == 0 {
		return nil
	}
	return p
}

// In returns the problem as a line of text: file, line, column and Text.
func (q *Problem) In(file string) string {
	at := fault.Line(file)
	if q.Line > 0 {
		at += fmt.Sprintf(":%d", q.Line)
	}
	if q.Column > 0 {
		at += fmt.Sprintf(":%d", q.Column)
	}
	return at + ": " + q.Text
}

// Error returns a text with one line for each problem, as In, and one for More.
func (p *Problems) Error() string {
	var b strings.Builder
	for i, q := range p.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(q.In(p.File))
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "\n%s: and %d more", fault.Line(p.File), p.More)
	}
	return b.String()
}

// ended is a reader that returns the cause of a context once that has ended.
type ended struct {
	ctx context.Context
	r   io.Reader
}

func (e *ended) Read(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	return e.r.Read(b)
}

// checked returns f, or p with the faults that Field.Check finds added as problems of the file.
func (p *Problems) checked(f *Field) (*Field, error) {
	var list interface{ Unwrap() []error }
	err := f.Check()
	switch {
	case err == nil:
		return f, nil
	case errors.As(err, &list):
		for _, e := range list.Unwrap() {
			p.add(0, 0, "%v", fault.Plain(e))
		}
	default:
		p.add(0, 0, "%v", fault.Plain(err))
	}
	return nil, p
}

// upsideDown reverses the order of the lines of heights, of nx heights each.
func upsideDown(heights []float64, nx int) {
	for a, b := 0, len(heights)-nx; a < b; a, b = a+nx, b-nx {
		for i := range nx {
			heights[a+i], heights[b+i] = heights[b+i], heights[a+i]
		}
	}
}
