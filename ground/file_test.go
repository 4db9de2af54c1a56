package ground_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

var unit = [2]float64{1, 1}

func readText(text string, format ground.Format) (*ground.Field, error) {
	return format.Read(context.Background(), strings.NewReader(text), "field.csv")
}

// TestSeparators: all of them, blanks, comments, ends of lines, a mark of the byte order.
func TestSeparators(t *testing.T) {
	for _, text := range []string{
		"1,2,3\n4,5,6\n", "1;2;3\n4;5;6", "1\t2\t3\r\n4\t5\t6\r\n", "1 2 3\n4 5 6", "  1,  2 ,3  \n\n# 7; 8\n4\t,5   6\t\n\n", "\ufeff1,2,3\n4,5,6",
		"+1,.2e1,3.\n4,5e0,60e-1", strings.Repeat("# a long line of a comment", 9999) + "\n1 2 3\n4 5 6",
	} {
		f, err := readText(text, &ground.CSV{Spacing: unit})
		require.NoError(t, err, text[:min(30, len(text))])
		require.Equal(t, [2]int{3, 2}, f.Size)
		require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, f.Heights)
	}
	f, err := readText("1,2\n3,4\n5,6", &ground.CSV{Spacing: unit, First: ground.North, Scale: 10, Offset: 0.5})
	require.NoError(t, err)
	require.Equal(t, []float64{50.5, 60.5, 30.5, 40.5, 10.5, 20.5}, f.Heights)
}

// TestBadCSV lists all problems with file, line, column and value.
func TestBadCSV(t *testing.T) {
	matrix, points := &ground.CSV{Spacing: unit}, &ground.CSV{Layout: ground.Points}
	for _, c := range []struct {
		text, says string
		format     ground.Format
	}{
		{"1,2,3\n1,2\n1,2,3\n1,2,3,4", "field.csv:2: 2 heights, other lines have 3\nfield.csv:4: 4 heights, other lines have 3", matrix},
		{"1,2\n3,x1\n,5", "field.csv:2:3: not a finite number (value \"x1\")\nfield.csv:3:1: no number before the mark (value ',')", matrix},
		{"0,5;0,2\n0,1;0,4", "field.csv:1:4: both commas and semicolons; numbers have a point, and one of the two between them", matrix},
		{"1,2\n3,", "field.csv:2:3: the line ends where a number should stand", matrix},
		{"1_000,2\n3,0x1p4", "field.csv:1:1: not a finite number (value \"1_000\")\nfield.csv:2:3: not a finite number (value \"0x1p4\")", matrix},
		{"1,nan\n3,1e999", "field.csv:1:3: not a finite number (value \"nan\")\nfield.csv:2:3: not a finite number (value \"1e999\")", matrix},
		{"", "field.csv: no heights", matrix},
		{"# nothing\n\n", "field.csv: no heights", matrix},
		{"1,2,3", "field.csv: 3 × 1 nodes; a grid has 2 × 2 at least", matrix},
		{"1 2\n3 4", "field.csv: the spacing along x is not above 0 and finite (value -1)\nfield.csv: the spacing along y is not above 0 and finite (value 0)", &ground.CSV{Spacing: [2]float64{-1, 0}}},
		{"1 2\n3 4", "field.csv: the height of node (0, 0) is not finite (value +Inf)", &ground.CSV{Spacing: unit, Scale: 1e308, Offset: 1e308}},
		{"0 0 1\n1 0 1\n0 1 1\n2 0 5\n2 1 5", "field.csv: 5 points for 3 × 2 nodes; the first without one is x 1, y 1", points},
		{"0 0 1\n1 0 1\n0 1 1\n1 1 3\n1 0 7", "field.csv:5: the same node as in line 2 (value 1, 0)", points},
		{"0 0 1\n1 0", "field.csv:2: 2 numbers, not x, y and z", points},
		{"0 0 1\n0 1 1", "field.csv: all points have the same x (value 0)", points},
		{"", "field.csv: no points", points},
		{"-1e308 0 1\n1e308 1 1\n", "field.csv: the points are too far apart along x (value -1e+308, 1e+308)", points},
		{"0 -1e308 1\n1 0 1\n1 1e308 1\n", "field.csv: the points are too far apart along y (value -1e+308, 1e+308)", points},
		{"0 0 0\n1 1 0\n1e-5 1e-5 0\n", "field.csv: the points are no regular grid, or one of more than 2³¹ nodes: spacing 1e-05 by 1e-05", points},
	} {
		_, err := readText(c.text, c.format)
		require.EqualError(t, err, c.says)
		p := new(ground.Problems)
		require.ErrorAs(t, err, &p)
	}
	_, err := readText(strings.Repeat("a,b\n", 100), matrix)
	p := new(ground.Problems)
	require.ErrorAs(t, err, &p)
	require.Len(t, p.List, 20)
	require.Equal(t, 180, p.More)
	require.ErrorContains(t, err, "\nfield.csv: and 180 more")
	_, err = readText("1,"+strings.Repeat("9", 1<<20)+"\n", matrix)
	require.Less(t, len(err.Error()), 200)
}

// TestPointsOff: points beside the nodes of what is regular otherwise are named.
func TestPointsOff(t *testing.T) {
	var b strings.Builder
	for k := range 25 {
		x := float64(k % 5)
		if k == 7 {
			x += 1e-4
		}
		b.WriteString(num(x) + " " + num(float64(k/5)) + " 3\n")
	}
	_, err := readText(b.String(), &ground.CSV{Layout: ground.Points})
	require.Error(t, err)
	require.ErrorAs(t, err, new(*ground.Problems))
}

func num(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// TestFileMissing passes the error of the file system.
func TestFileMissing(t *testing.T) {
	_, err := ground.ReadFile(context.Background(), fstest.MapFS{}, "no.csv", &ground.CSV{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, format := range []ground.Format{&ground.CSV{Spacing: unit}, &ground.PNG{Spacing: unit}} {
		_, err = ground.ReadFile(ctx, os.DirFS(check.Reference(t, "ground")), "field.csv", format)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// TestRoundTrips: what is written is read as the same field; a picture to half a step of its greys.
func TestRoundTrips(t *testing.T) {
	ctx := context.Background()
	f := referenceField(t)
	for _, layout := range []ground.Layout{ground.Matrix, ground.Points} {
		var b bytes.Buffer
		require.NoError(t, f.WriteCSV(ctx, &b, layout))
		g, err := (&ground.CSV{Layout: layout, Origin: f.Origin, Spacing: f.Spacing}).Read(ctx, &b, "b")
		require.NoError(t, err)
		require.Equal(t, f.Heights, g.Heights)
		require.Equal(t, f.Size, g.Size)
		check.CloseVec(t, g.Spacing[:], f.Spacing[:], 1e-15, 1, "spacing")
	}
	var b bytes.Buffer
	lo, hi := f.Range()
	require.NoError(t, f.WritePNG(ctx, &b, lo, hi))
	g, err := (&ground.PNG{Origin: f.Origin, Spacing: f.Spacing, Lowest: lo, Highest: hi}).Read(ctx, &b, "b")
	require.NoError(t, err)
	check.CloseVec(t, g.Heights, f.Heights, (hi-lo)/0xffff/2*(1+1e-9), 1, "picture")
	glo, ghi := g.Range()
	check.CloseVec(t, []float64{glo, ghi}, []float64{lo, hi}, 1e-15, 1, "black and white")

	b.Reset()
	small := &ground.Field{Spacing: [2]float64{2, 3}, Size: [2]int{2, 3}, Heights: []float64{1, 2, 3, 4, 5, 6}}
	require.NoError(t, small.WriteOBJ(ctx, &b))
	require.Equal(t, "v 0 0 1\nv 2 0 2\nv 0 3 3\nv 2 3 4\nv 0 6 5\nv 2 6 6\nf 1 2 4 3\nf 3 4 6 5\n", b.String())

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, f.WriteCSV(cancelled, &b, ground.Matrix), context.Canceled)
	require.ErrorIs(t, f.WriteOBJ(cancelled, &b), context.Canceled)
	require.ErrorIs(t, f.WritePNG(cancelled, &b, 0, 1), context.Canceled)
	require.ErrorIs(t, f.WriteCSV(ctx, fullWriter{}, ground.Matrix), errFull)
}

var errFull = errors.New("full")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func encoded(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

// TestPictures: 8 bits, the side of the first line, and everything that is refused.
func TestPictures(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(grey.Pix, []byte{0, 51, 102, 153, 204, 255})
	read := func(data []byte, c ground.PNG) (*ground.Field, error) {
		c.Spacing = unit
		return c.Read(context.Background(), bytes.NewReader(data), "a.png")
	}
	data := encoded(t, grey)
	f, err := read(data, ground.PNG{Lowest: -1, Highest: 4})
	require.NoError(t, err)
	check.CloseVec(t, f.Heights, []float64{2, 3, 4, -1, 0, 1}, 1e-15, 1, "north first")
	f, err = read(data, ground.PNG{Lowest: -1, Highest: 4, First: ground.South})
	require.NoError(t, err)
	check.CloseVec(t, f.Heights, []float64{-1, 0, 1, 2, 3, 4}, 1e-15, 1, "south first")

	rgba := image.NewRGBA(grey.Rect)
	palette := image.NewPaletted(grey.Rect, color.Palette{color.Black, color.White})
	huge := bytes.Clone(data)
	copy(huge[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0x7f, 0xff}) // 65535 × 32767 pixels
	wide := bytes.Clone(data)
	copy(wide[16:], bytes.Repeat([]byte{0xff}, 8))
	clear := []byte("tRNS\x00\x05") // the grey 5 is transparent
	clear = binary.BigEndian.AppendUint32(append([]byte{0, 0, 0, 2}, clear...), crc32.ChecksumIEEE(clear))
	transparent := slices.Insert(bytes.Clone(data), 33, clear...)
	checksum := bytes.Clone(data)
	checksum[40] ^= 1
	for _, c := range []struct {
		data []byte
		says string
	}{
		{nil, "a.png: not a PNG picture"},
		{[]byte("1,2\n3,4\n"), "a.png: not a PNG picture"},
		{encoded(t, rgba), "a.png: a picture of colours; heights are grey, without transparency"},
		{encoded(t, palette), "a.png: a picture of a palette; heights are grey, without transparency"},
		{encoded(t, image.NewGray(image.Rect(0, 0, 5, 1))), "a.png: 5 × 1 pixels; from 2 × 2 to 2³¹ are wanted"},
		{huge, "a.png: the picture ends too early: 65535 × 32767 pixels in"},
		{wide, "a.png: 4294967295 × 4294967295 pixels; from 2 × 2 to 2³¹ are wanted"},
		{data[:50], "a.png: png: invalid format: not enough pixel data"},
		{data[:40], "a.png: the picture ends too early"},
		{data[:len(data)-5], "a.png: the picture ends too early"},
		{transparent, "a.png: transparent pixels; a picture of heights is grey"},
		{checksum, "a.png: png: invalid format: "},
	} {
		before := allocated()
		_, err := read(c.data, ground.PNG{Highest: 1})
		require.ErrorContains(t, err, c.says)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, allocated()-before, uint64(1<<22), "a small file takes little memory")
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestRandomKinds: mean, root mean square, seeds, and the borders of random fields.
func TestRandomKinds(t *testing.T) {
	r := ground.RandomGround{Spacing: [2]float64{0.5, 0.4}, Size: [2]int{61, 48}, RMS: 0.3, Length: 2, Hurst: 0.8, Seed: 7}
	moments := func(z []float64) (mean, square float64) {
		for _, v := range z {
			mean += v / float64(len(z))
			square += v * v / float64(len(z))
		}
		return mean, math.Sqrt(square)
	}
	for _, kind := range []ground.RandomKind{ground.Gaussian, ground.Fractal, ground.Uniform} {
		r.Kind = kind
		f, err := ground.Random(context.Background(), r)
		require.NoError(t, err)
		again, err := ground.Random(context.Background(), r)
		require.NoError(t, err)
		require.Equal(t, f, again)
		other := r
		other.Seed++
		g, err := ground.Random(context.Background(), other)
		require.NoError(t, err)
		require.NotEqual(t, f.Heights, g.Heights)
		mean, rms := moments(f.Heights)
		if kind == ground.Uniform {
			// The mean of the noise, 0.15, times the integral of the kernel over a cell, times √nodes.
			want := 0.15 * math.Pi / 2 * 4 / (0.5 * 0.4) / math.Sqrt(61*48)
			check.Close(t, mean, want, 0.05, want, "mean of %v", kind)
			continue
		}
		check.Close(t, mean, 0, 1e-15, 1, "mean of %v", kind)
		check.Close(t, rms, 0.3, 1e-14, 1, "rms of %v", kind)
		nx := f.Size[0]
		for k := 0; k < len(f.Heights); k += nx { // no seam where the borders meet
			require.Less(t, math.Abs(f.Heights[k]-f.Heights[k+nx-1]), 0.3, "%v", kind)
		}
	}
}

// TestLongest: at the largest length the heights are the smoothest waves of the field, not rounding.
func TestLongest(t *testing.T) {
	r := ground.RandomGround{Size: [2]int{64, 64}, Spacing: unit, RMS: 1, Seed: 3}
	var rough [2]float64 // largest second difference
	for i, length := range []float64{64e2, 64e5} {
		r.Length = length
		f, err := ground.Random(context.Background(), r)
		require.NoError(t, err)
		for k := 1; k+1 < len(f.Heights); k++ {
			if k%64 > 0 && k%64 < 63 {
				rough[i] = max(rough[i], math.Abs(f.Heights[k+1]-2*f.Heights[k]+f.Heights[k-1]))
			}
		}
	}
	require.InDelta(t, rough[0], rough[1], 0.02*rough[0])
}

// TestBadRandom lists what is wrong.
func TestBadRandom(t *testing.T) {
	_, err := ground.Random(context.Background(), ground.RandomGround{Size: [2]int{1, 5}, RMS: -1, Spacing: unit})
	require.EqualError(t, err, "ground: 1 × 5 nodes; a grid has 2 × 2 at least\nground: rms is not 0 or above and finite (value -1)\nground: length is not above 0 and finite (value 0)")
	_, err = ground.Random(context.Background(), ground.RandomGround{Size: [2]int{5, 5}, Spacing: unit, Kind: ground.Fractal, Hurst: 1})
	require.EqualError(t, err, "ground: hurst is not between 0 and 1 (value 1)")
	_, err = ground.Random(context.Background(), ground.RandomGround{Size: [2]int{5, 5}, Spacing: unit, Length: 1, Kind: 9})
	require.EqualError(t, err, "ground: RandomKind(9) is no kind of random ground")
	_, err = ground.Random(context.Background(), ground.RandomGround{Size: [2]int{5, 64}, Spacing: unit, Length: 1e9, RMS: 1})
	require.EqualError(t, err, "ground: length is more than 100000 times the field, whose heights would be rounding (value 1e+09)")
}

// TestFractalSpacing: spacings at which powers of wave numbers leave the range of numbers are refused, and not flat or not finite; up to
// there the heights have the root mean square that is asked for.
func TestFractalSpacing(t *testing.T) {
	at := func(spacing float64) (*ground.Field, error) {
		return ground.Random(context.Background(), ground.RandomGround{Size: [2]int{8, 6}, Spacing: [2]float64{spacing, spacing}, Kind: ground.Fractal, Hurst: 0.8, RMS: 1})
	}
	for _, spacing := range []float64{1e-150, 1e-90, 1e-51, 1e51, 1e160} {
		_, err := at(spacing)
		require.ErrorContains(t, err, fmt.Sprintf("ground: the spacing along x is not between 1e-50 and 1e50 m (value %v)", spacing))
		require.ErrorContains(t, err, "along y")
	}
	for _, spacing := range []float64{1e-50, 1, 1e50} {
		f, err := at(spacing)
		require.NoError(t, err)
		square := 0.0
		for _, z := range f.Heights {
			square += z * z
		}
		require.InDelta(t, 1, square/48, 1e-12)
	}
}

// FuzzCSV: nothing panics, and what is read survives being written and read.
func FuzzCSV(tf *testing.F) {
	f := check.NewFuzz(tf)
	for _, text := range []string{"1,2\n3,4", "0 0 1\n1 0 2\n0 1 3\n1 1 4\n", "# x\n1;2\n\n3;;4", "1e308,-1e308\n0,0", "0 0 0\n1e300 0 0\n0 1e-300 0\n1e300 1e-300 0", "\ufeff,"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, points bool) {
		c := &ground.CSV{Spacing: unit}
		if points {
			c = &ground.CSV{Layout: ground.Points}
		}
		field, err := readText(text, c)
		if err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, field.WriteCSV(context.Background(), &b, ground.Matrix))
		again, err := readText(b.String(), &ground.CSV{Origin: field.Origin, Spacing: field.Spacing})
		require.NoError(t, err)
		require.Equal(t, field, again)
		if s, err := ground.NewGrid(context.Background(), field, ground.Options{Outside: ground.Tangent}); err == nil {
			_, _ = s.At(field.Place(1, 1)) // may overflow, which is an error
		}
	})
}

// mended is a picture with right sums of its chunks, as far as it has
// chunks, so that what is wrong in it is met where it is read.
func mended(data []byte) []byte {
	out := bytes.Clone(data)
	for at := 8; at+12 <= len(out); {
		n := int(binary.BigEndian.Uint32(out[at:]))
		if n < 0 || n > len(out)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(out[at+8+n:], crc32.ChecksumIEEE(out[at+4:at+8+n]))
		at += 12 + n
	}
	return out
}

// TestHostilePictures: every picture that is cut off, with any byte
// changed, or states more than it has, is read or refused in one line.
func TestHostilePictures(t *testing.T) {
	read := func(data []byte) error {
		f, err := (&ground.PNG{Spacing: unit, Highest: 1}).Read(context.Background(), bytes.NewReader(data), "a.png")
		if err == nil {
			require.NoError(t, f.Check())
			return nil
		}
		require.NotContains(t, err.Error(), "\n")
		require.True(t, strings.HasPrefix(err.Error(), "a.png: "), err.Error())
		return err
	}
	grey := image.NewGray16(image.Rect(0, 0, 6, 5))
	for i := range grey.Pix {
		grey.Pix[i] = byte(37 * i)
	}
	whole := encoded(t, grey)
	require.NoError(t, read(whole))
	for n := range len(whole) - 12 { // the last chunk is empty
		require.Error(t, read(whole[:n]), "%d bytes", n)
	}
	for i := range whole {
		for _, x := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(whole)
			bad[i] ^= x
			_ = read(bad)
			_ = read(mended(bad))
		}
	}
	// A bomb: few bytes that are many pixels.
	head := func(nx, ny uint32, data []byte) []byte {
		bad := bytes.Clone(whole[:33])
		binary.BigEndian.PutUint32(bad[16:], nx)
		binary.BigEndian.PutUint32(bad[20:], ny)
		return mended(append(bad, data...))
	}
	require.ErrorContains(t, read(head(1<<20, 1<<20, nil)), "1048576 × 1048576 pixels; from 2 × 2 to 2³¹ are wanted")
	require.ErrorContains(t, read(head(1<<14, 1<<14, nil)), "the picture ends too early: 16384 × 16384 pixels in 33 bytes")
	require.ErrorContains(t, read(head(1<<14, 1<<14, make([]byte, 1<<20))), "16384 × 16384 pixels in 1048609 bytes; a picture of more than 2²⁶ pixels has to have a hundredth of their size at least")
}

// FuzzPNG: nothing panics, hangs or fills the memory.
func FuzzPNG(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(encoded(f, image.NewGray(image.Rect(0, 0, 3, 2))))
	f.Add(encoded(f, image.NewGray16(image.Rect(0, 0, 2, 5))))
	f.Add(encoded(f, image.NewRGBA(image.Rect(0, 0, 2, 5))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, mended(data)} {
			field, err := (&ground.PNG{Spacing: unit, Highest: 1}).Read(context.Background(), bytes.NewReader(data), "a.png")
			if err == nil {
				require.NoError(t, field.Check())
			} else {
				require.NotContains(t, err.Error(), "\n")
			}
		}
	})
}

// FuzzExpression: nothing panics, and what is accepted has finite numbers or says that it has not.
func FuzzExpression(tf *testing.F) {
	f := check.NewFuzz(tf)
	for _, s := range []string{"x+y", "-x^2*sin(pi*y)", "min(x,atan2(y,1e3))", "((((", "2^^3", "x\xff", "1/0", "0^-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ground.Function(text)
		if err != nil {
			return
		}
		for _, x := range []float64{-1.5, 0, 2} {
			if p, err := s.At(x, 0.7); err == nil {
				for _, v := range numbers(p) {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0))
				}
			}
		}
	})
}

// BenchmarkPNG reads a picture of 16 bits and makes a spline of it.
func BenchmarkPNG(b *testing.B) {
	for _, n := range []int{512, 4096} {
		b.Run("n="+num(float64(n)), func(b *testing.B) {
			f := &ground.Field{Spacing: unit, Size: [2]int{n, n}, Heights: make([]float64, n*n)}
			r := rand.New(rand.NewPCG(1, 1))
			for k := range f.Heights {
				f.Heights[k] = math.Sin(float64(k%n)/70)*math.Cos(float64(k/n)/50) + 0.01*r.Float64()
			}
			var out bytes.Buffer
			lo, hi := f.Range()
			require.NoError(b, f.WritePNG(context.Background(), &out, lo, hi))
			f = nil
			b.ReportMetric(float64(out.Len()), "file-bytes")
			b.ReportAllocs()
			for b.Loop() {
				g, err := (&ground.PNG{Spacing: unit, Highest: 1}).Read(context.Background(), bytes.NewReader(out.Bytes()), "a.png")
				require.NoError(b, err)
				newGrid(b, g, ground.Options{})
			}
		})
	}
}
