package ground

import (
	"math"
	"math/bits"

	"github.com/rung-mbd/rung/internal/halt"
)

// fourier is the discrete Fourier transform of n numbers, for any n. For powers of two it is the radix-2
// algorithm, else a convolution whose length is a power of two (Bluestein 1970). The transform of gonum would
// bring gonum into every program that reads a model with a random ground.
type fourier struct {
	n       int
	roots   []complex128 // exp(−2πik/n) for k < n/2, if n is a power of two
	by      *fourier     // transform for the convolution; nil if n is a power of two
	chirp   []complex128 // exp(−πik²/n)
	kernel  []complex128 // the transform of the conjugate chirp
	scratch []complex128
}

// newFourier prepares the transform of n numbers. One goroutine at a time may use it, as it has scratch memory.
func newFourier(n int) *fourier {
	f := &fourier{n: n}
	if n&(n-1) == 0 {
		f.roots = make([]complex128, n/2)
		for k := range f.roots {
			f.roots[k] = root(int64(k), int64(n))
		}
		return f
	}
	f.by = newFourier(1 << bits.Len(uint(2*n-2)))
	f.chirp = make([]complex128, n)
	f.kernel = make([]complex128, f.by.n)
	f.scratch = make([]complex128, f.by.n)
	for k := range f.chirp {
		f.chirp[k] = root(int64(k)*int64(k)%int64(2*n), int64(2*n))
		f.kernel[k] = conj(f.chirp[k])
		if k > 0 {
			f.kernel[f.by.n-k] = f.kernel[k]
		}
	}
	f.by.forward(f.kernel)
	return f
}

// root returns exp(−2πik/n).
func root(k, n int64) complex128 {
	s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
	return complex(c, s)
}

func conj(z complex128) complex128 { return complex(real(z), -imag(z)) }

// forward replaces c by Σ c[m] exp(−2πikm/n).
func (f *fourier) forward(c []complex128) {
	if f.by == nil {
		f.radix2(c)
		return
	}
	s := f.scratch
	clear(s)
	for k, w := range f.chirp {
		s[k] = c[k] * w
	}
	f.by.forward(s)
	for k, w := range f.kernel {
		s[k] = conj(s[k] * w) // the inverse is the conjugate of the forward transform of the conjugate
	}
	f.by.forward(s)
	scale := complex(1/float64(f.by.n), 0)
	for k, w := range f.chirp {
		c[k] = conj(s[k]) * w * scale
	}
}

// radix2 is forward for a power of two: a permutation by bit reversal, then butterflies.
func (f *fourier) radix2(c []complex128) {
	shift := 64 - bits.Len(uint(f.n-1))
	for k := range c {
		if m := int(bits.Reverse64(uint64(k)) >> shift); m > k {
			c[k], c[m] = c[m], c[k]
		}
	}
	for half := 1; half < f.n; half *= 2 {
		step := f.n / (2 * half)
		for from := 0; from < f.n; from += 2 * half {
			a, b := c[from:from+half], c[from+half:from+2*half]
			for k := range a {
				t := f.roots[k*step] * b[k]
				a[k], b[k] = a[k]+t, a[k]-t
			}
		}
	}
}

// transform is the discrete Fourier transform of nx × ny numbers, stored line by line.
type transform struct {
	x, y *fourier
	line []complex128
	flag *halt.Flag
}

func newTransform(nx, ny int, flag *halt.Flag) *transform {
	return &transform{newFourier(nx), newFourier(ny), make([]complex128, ny), flag}
}

// forward replaces c by its transform. If the flag goes up, c has no meaning.
func (t *transform) forward(c []complex128) {
	nx, ny := t.x.n, t.y.n
	for j := 0; j < ny && !t.flag.Up(); j++ {
		t.x.forward(c[j*nx : (j+1)*nx])
	}
	for i := 0; i < nx && !t.flag.Up(); i++ {
		for j := range ny {
			t.line[j] = c[j*nx+i]
		}
		t.y.forward(t.line)
		for j := range ny {
			c[j*nx+i] = t.line[j]
		}
	}
}

// inverse replaces c by its inverse transform. If the flag goes up, c has no meaning.
func (t *transform) inverse(c []complex128) {
	scale := 1 / float64(len(c))
	for k := range c {
		if t.flag.Every(k) {
			return
		}
		c[k] = conj(c[k])
	}
	t.forward(c)
	for k := range c {
		if t.flag.Every(k) {
			return
		}
		c[k] = complex(real(c[k])*scale, -imag(c[k])*scale)
	}
}
