package ground

import (
	"bufio"
	"context"
	"github.com/rung-mbd/rung/internal/halt"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
)

// writer writes numbers in text until a context ends.
type writer struct {
	*bufio.Writer
	ctx context.Context
	b   []byte
}

func newWriter(ctx context.Context, w io.Writer) *writer {
	return &writer{bufio.NewWriterSize(w, 1<<16), ctx, nil}
}

// number writes mark and x, in the fewest digits from which x can be read back.
func (w *writer) number(mark string, x float64) {
	w.b = strconv.AppendFloat(append(w.b[:0], mark...), x, 'g', -1, 64)
	w.Write(w.b) // Flush returns the first error
}

// each calls write for all nodes, line by line, and flushes w. It returns the first error of writing, or the cause of the context.
func (f *Field) each(w *writer, write func(i, j int)) error {
	for j := range f.Size[1] {
		for i := range f.Size[0] {
			if i&255 == 0 && w.ctx.Err() != nil {
				return context.Cause(w.ctx)
			}
			write(i, j)
		}
	}
	return w.Flush()
}

// WriteCSV writes the heights as a file of numbers. A CSV with the same Layout reads the same bits of the heights; for Matrix it needs
// Origin and Spacing of f.
//
// It returns errors of writing and the cause of ctx.
func (f *Field) WriteCSV(ctx context.Context, to io.Writer, layout Layout) error {
	halt.Must(ctx)
	if int(layout) >= len(layoutNames) {
		panic("ground: unknown layout")
	}
	w := newWriter(ctx, to)
	return f.each(w, func(i, j int) {
		z := f.Heights[j*f.Size[0]+i]
		if layout == Points {
			x, y := f.Place(i, j)
			w.number("", x)
			w.number(",", y)
			w.number(",", z)
			w.WriteByte('\n')
			return
		}
		mark := ","
		if i == 0 {
			mark = ""
		}
		w.number(mark, z)
		if i == f.Size[0]-1 {
			w.WriteByte('\n')
		}
	})
}

// WriteOBJ writes the field as Wavefront OBJ: the nodes as vertices, m, and the cells as faces of four vertices, anticlockwise seen from
// above.
//
// It returns errors of writing and the cause of ctx.
func (f *Field) WriteOBJ(ctx context.Context, to io.Writer) error {
	halt.Must(ctx)
	w := newWriter(ctx, to)
	if err := f.each(w, func(i, j int) {
		x, y := f.Place(i, j)
		w.number("v ", x)
		w.number(" ", y)
		w.number(" ", f.Heights[j*f.Size[0]+i])
		w.WriteByte('\n')
	}); err != nil {
		return err
	}
	nx, ny := f.Size[0], f.Size[1]
	return f.each(w, func(i, j int) {
		if i == nx-1 || j == ny-1 {
			return
		}
		k := j*nx + i + 1 // vertices count from 1
		w.WriteString("f")
		for _, v := range [...]int{k, k + 1, k + 1 + nx, k + nx} {
			w.b = strconv.AppendInt(append(w.b[:0], ' '), int64(v), 10)
			w.Write(w.b)
		}
		w.WriteByte('\n')
	})
}

// WritePNG writes the heights as a grey picture of 16 bits, north at the top. Black is the height lowest and white the height highest, m;
// heights beyond them are black or white. If highest is not above lowest, all is black.
//
// It returns errors of writing and the cause of ctx.
func (f *Field) WritePNG(ctx context.Context, to io.Writer, lowest, highest float64) error {
	halt.Must(ctx)
	nx, ny := f.Size[0], f.Size[1]
	img := image.NewGray16(image.Rect(0, 0, nx, ny))
	for k, z := range f.Heights {
		v := uint16(0)
		if highest > lowest {
			v = uint16(math.Round(0xffff * min(max((z-lowest)/(highest-lowest), 0), 1)))
		}
		at := (ny-1-k/nx)*img.Stride + 2*(k%nx)
		img.Pix[at], img.Pix[at+1] = byte(v>>8), byte(v)
	}
	return png.Encode(&endedWriter{ctx, to}, img)
}

// endedWriter is a writer that returns the cause of a context once that has ended.
type endedWriter struct {
	ctx context.Context
	w   io.Writer
}

func (e *endedWriter) Write(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	return e.w.Write(b)
}
