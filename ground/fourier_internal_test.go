package ground

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	gonum "gonum.org/v1/gonum/dsp/fourier"

	"github.com/rung-mbd/rung/internal/check"
)

// TestFourier compares with gonum's transform, and goes there and back.
func TestFourier(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 8, 12, 61, 64, 97, 128, 360, 1021, 1024} {
		r := check.Rand(uint64(n))
		c := make([]complex128, n)
		for k := range c {
			c[k] = complex(r.NormFloat64(), r.NormFloat64())
		}
		want := gonum.NewCmplxFFT(n).Coefficients(nil, c)
		got := append([]complex128(nil), c...)
		f := newFourier(n)
		f.forward(got)
		tol := 1e-14 * math.Sqrt(float64(n))
		for k := range got {
			check.Close(t, real(got[k]), real(want[k]), tol, 10, "n %d, mode %d", n, k)
			check.Close(t, imag(got[k]), imag(want[k]), tol, 10, "n %d, mode %d", n, k)
		}
	}
	tr := newTransform(6, 5, nil)
	c := make([]complex128, 30)
	c[8] = 1
	tr.forward(c)
	tr.inverse(c)
	for k := range c {
		want := 0.0
		if k == 8 {
			want = 1
		}
		check.Close(t, real(c[k]), want, 1e-15, 1, "number %d", k)
	}
}

// TestNoise compares the generator with its first draws and the noise of reference/ground.
func TestNoise(t *testing.T) {
	s := splitMix64(42)
	for _, want := range []uint64{13679457532755275413, 2949826092126892291, 5139283748462763858, 6349198060258255764} {
		require.Equal(t, want, s.next())
	}
	f, err := os.Open(check.Reference(t, "ground", "random.csv"))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	s = 42
	for _, line := range lines[1:] {
		want, err := strconv.ParseFloat(line[2], 64)
		require.NoError(t, err)
		check.Close(t, s.normal(), want, 1e-14, 1+math.Abs(want), "noise of line %s, column %s", line[0], line[1])
	}
}

// TestModes: the modes of fractal heights are the modes of the noise times k^−(hurst + 1), up to one factor, and the
// heights of the other kinds are circular convolutions, term by term.
func TestModes(t *testing.T) {
	const nx, ny = 12, 15
	r := RandomGround{Spacing: [2]float64{0.5, 0.3}, Size: [2]int{nx, ny}, RMS: 0.7, Length: 1.1, Hurst: 0.6, Seed: 3}
	noise := func(kind RandomKind) []complex128 {
		r.Kind = kind
		c := make([]complex128, nx*ny)
		r.noise(c, nil)
		return c
	}
	tr := newTransform(nx, ny, nil)
	w := noise(Fractal)
	f, err := Random(context.Background(), r)
	require.NoError(t, err)
	z := make([]complex128, nx*ny)
	for k := range z {
		z[k] = complex(f.Heights[k], 0)
	}
	tr.forward(w)
	tr.forward(z)
	factor := 0.0
	for k := 1; k < nx*ny; k++ {
		i, j := k%nx, k/nx
		wave := math.Hypot(float64(min(i, nx-i))/(nx*0.5), float64(min(j, ny-j))/(ny*0.3))
		got := real(z[k]/w[k]) * math.Pow(wave, 1.6)
		if factor == 0 {
			factor = got
		}
		check.Close(t, got, factor, 1e-11, factor, "mode %d, %d", i, j)
		check.Close(t, imag(z[k]/w[k]), 0, 1e-11, factor*math.Pow(wave, -1.6), "mode %d, %d", i, j)
	}

	u := noise(Uniform)
	f, err = Random(context.Background(), r)
	require.NoError(t, err)
	for k := range f.Heights {
		want := 0.0
		for m := range u {
			i, j := (k%nx-nx/2-m%nx+2*nx)%nx, (k/nx-ny/2-m/nx+2*ny)%ny
			dx, dy := float64(min(i, nx-i))*0.5, float64(min(j, ny-j))*0.3
			want += real(u[m]) * math.Exp(-2*(dx*dx+dy*dy)/(1.1*1.1)) / math.Sqrt(nx*ny)
		}
		check.Close(t, f.Heights[k], want, 1e-13, want, "node %d", k)
	}
}
