package ground

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// RandomKind is the kind of correlation between the heights of a random field.
type RandomKind uint8

const (
	Gaussian RandomKind = iota // correlated over a length
	Fractal                    // a power law over all lengths
	Uniform                    // uniform noise, smoothed as for Gaussian but not normalized
)

// randomNames are the names of the kinds in documents.
var randomNames = [...]string{"gaussian", "fractal", "uniform"}

// String returns the name of documents.
func (k RandomKind) String() string { return fault.Enum(randomNames[:], k, "RandomKind") }

// ParseRandomKind returns the kind of a name, or an error that lists the names.
func ParseRandomKind(name string) (RandomKind, error) {
	return fault.Parse[RandomKind]("ground: ", "kind of random ground", name, randomNames[:])
}

// MostRandom is the largest number of nodes of a random field.
const MostRandom = 1 << 26

// Bytes returns the memory that Random needs for the field, bytes: 24 for each node, and up to 128 if the field is long
// and narrow. It is defined for all sizes, valid or not.
func (r *RandomGround) Bytes() float64 {
	const node, transform = 24, 208 // bytes for each node, and for each number of the transforms along x and y
	nx, ny := float64(max(r.Size[0], 0)), float64(max(r.Size[1], 0))
	return node*nx*ny + transform*(nx+ny)
}

// RandomGround has the settings of a random field. The field is periodic: it continues smoothly from a border to the opposite one.
type RandomGround struct {
	Origin, Spacing [2]float64 // as in Field, m
	Size            [2]int     // nodes along x and y
	Kind            RandomKind
	RMS             float64 // m; Gaussian, Fractal: root mean square of the heights, whose mean is 0; Uniform: factor of the noise
	Length          float64 // Gaussian, Uniform: the noise is smoothed by exp(−2 (Δx² + Δy²)/Length²), m
	Hurst           float64 // Fractal: in (0, 1), amplitudes fall as k^−(Hurst + 1)
	Seed            uint64
}

// Check returns an error with the faults of r, or nil.
func (r *RandomGround) Check() error {
	f := Field{Origin: r.Origin, Spacing: r.Spacing, Size: r.Size}
	err := errors.Join(f.checkPlaces(), CheckSize(r.Size))
	if nx, ny := r.Size[0], r.Size[1]; nx > 0 && ny > MostRandom/nx {
		err = errors.Join(err, fmt.Errorf("ground: %d × %d nodes; a random field has %d at most, as it takes %s", nx, ny, MostRandom, fault.Amount(r.Bytes(), "B")))
	}
	if int(r.Kind) >= len(randomNames) {
		err = errors.Join(err, fmt.Errorf("ground: %v is no kind of random ground", r.Kind))
	}
	if !(r.RMS >= 0) || math.IsInf(r.RMS, 0) {
		err = errors.Join(err, fmt.Errorf("ground: rms is not 0 or above and finite (value %v)", r.RMS))
	}
	if r.Kind == Fractal {
		err = errors.Join(err, r.checkFractal())
	} else if !(r.Length > 0) || math.IsInf(r.Length, 0) {
		err = errors.Join(err, fmt.Errorf("ground: length is not above 0 and finite (value %v)", r.Length))
	} else if side := r.longerSide(); r.Kind == Gaussian && side > 0 && r.Length > mostLength*side {
		err = errors.Join(err,
			fmt.Errorf("ground: length is more than %v times the field, whose heights would be rounding (value %v)", mostLength, r.Length))
	}
	return err
}

// mostFractal bounds the spacing of a fractal field, m, and its inverse: beyond it, powers of the wave numbers may overflow or underflow.
const mostFractal = 1e50

// checkFractal returns an error with the faults of r that only Fractal has, or nil.
func (r *RandomGround) checkFractal() (err error) {
	if !(r.Hurst > 0 && r.Hurst < 1) {
		err = fmt.Errorf("ground: hurst is not between 0 and 1 (value %v)", r.Hurst)
	}
	for c, name := range "xy" {
		if x := r.Spacing[c]; x > 0 && !(x >= 1/mostFractal && x <= mostFractal) {
			err = errors.Join(err, fmt.Errorf("ground: the spacing along %c is not between 1e-50 and 1e50 m (value %v)", name, x))
		}
	}
	return err
}

// longerSide returns the period of the field along the axis on which it is longer, m.
func (r *RandomGround) longerSide() float64 {
	return max(r.Spacing[0]*float64(r.Size[0]), r.Spacing[1]*float64(r.Size[1]))
}

// mostLength is the largest Length of Gaussian, relative to the longer side of the field. The kernel then varies by 1e-10 over the
// field, which is still above the rounding of the transform.
const mostLength = 1e5

// Random returns random heights, m, docs/ground.md (G9), (G10). Equal seeds give equal bits on one machine.
//
// It returns the error of RandomGround.Check, or the cause of ctx.
//
// Cost: O(nodes · log nodes), and the memory of RandomGround.Bytes.
func Random(ctx context.Context, r RandomGround) (*Field, error) {
	halt.Must(ctx)
	if err := r.Check(); err != nil {
		return nil, err
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	nx, ny := r.Size[0], r.Size[1]
	c := make([]complex128, nx*ny)
	r.noise(c, flag)
	t := newTransform(nx, ny, flag)
	t.forward(c)
	if r.Kind == Fractal {
		r.powerLaw(c, flag)
	} else {
		r.smooth(c, flag)
	}
	t.inverse(c)
	if flag.Up() {
		return nil, context.Cause(ctx)
	}
	f := &Field{Origin: r.Origin, Spacing: r.Spacing, Size: r.Size, Heights: make([]float64, nx*ny)}
	if r.Kind == Uniform {
		r.shifted(f.Heights, c, flag)
	} else {
		r.normalized(f.Heights, c, flag)
	}
	if flag.Up() {
		return nil, context.Cause(ctx)
	}
	return f, nil
}

// noise fills c with one random number for each node, line by line: of the normal distribution, or for Uniform of [0, RMS). If the flag
// goes up, c has no meaning.
func (r *RandomGround) noise(c []complex128, flag *halt.Flag) {
	s := splitMix64(r.Seed)
	for k := range c {
		if flag.Every(k) {
			return
		}
		if r.Kind == Uniform {
			c[k] = complex(r.RMS*s.uniform(), 0)
		} else {
			c[k] = complex(s.normal(), 0)
		}
	}
}

// smooth multiplies the modes of c by the modes of the periodic kernel exp(−2 (Δx² + Δy²)/Length²). The kernel is a product of one
// factor for each axis.
func (r *RandomGround) smooth(c []complex128, flag *halt.Flag) {
	var modes [2][]float64
	for a, n := range r.Size {
		kernel := make([]complex128, n)
		for k := range kernel {
			d := float64(min(k, n-k)) * r.Spacing[a] / r.Length
			kernel[k] = complex(math.Exp(-2*d*d), 0)
		}
		newFourier(n).forward(kernel)
		modes[a] = make([]float64, n)
		for k, m := range kernel {
			modes[a][k] = real(m) // the kernel is even
		}
	}
	for j, my := range modes[1] {
		if flag.Up() {
			return
		}
		for i, mx := range modes[0] {
			c[j*r.Size[0]+i] *= complex(mx*my, 0)
		}
	}
}

// powerLaw multiplies the modes of c by k^−(Hurst + 1), with k the wave number, 1/m. The mode of k = 0 becomes 0.
func (r *RandomGround) powerLaw(c []complex128, flag *halt.Flag) {
	nx, ny := r.Size[0], r.Size[1]
	for j := range ny {
		if flag.Up() {
			return
		}
		ky := float64(min(j, ny-j)) / (float64(ny) * r.Spacing[1])
		for i := range nx {
			kx := float64(min(i, nx-i)) / (float64(nx) * r.Spacing[0])
			factor := 0.0
			if i+j > 0 {
				factor = math.Pow(kx*kx+ky*ky, -(r.Hurst+1)/2)
			}
			c[j*nx+i] *= complex(factor, 0)
		}
	}
}

// normalized stores in z the real parts of c, shifted and scaled to the mean 0 and the root mean square RMS. If all are equal, z is 0. If
// the flag goes up, z has no meaning.
func (r *RandomGround) normalized(z []float64, c []complex128, flag *halt.Flag) {
	mean := 0.0
	for k := range c {
		if flag.Every(k) {
			return
		}
		mean += real(c[k])
	}
	mean /= float64(len(c))
	square := 0.0
	for k := range c {
		if flag.Every(k) {
			return
		}
		z[k] = real(c[k]) - mean
		square += z[k] * z[k]
	}
	factor := 0.0
	if square > 0 {
		factor = r.RMS / math.Sqrt(square/float64(len(c)))
	}
	for k := range z {
		if flag.Every(k) {
			return
		}
		z[k] *= factor
	}
}

// shifted stores in z the real parts of c divided by √nodes, cyclically shifted by half the grid along both axes. If the flag goes up, z
// has no meaning.
func (r *RandomGround) shifted(z []float64, c []complex128, flag *halt.Flag) {
	nx, ny := r.Size[0], r.Size[1]
	factor := 1 / math.Sqrt(float64(len(c)))
	for j := range ny {
		if flag.Up() {
			return
		}
		for i := range nx {
			z[(j+ny/2)%ny*nx+(i+nx/2)%nx] = factor * real(c[j*nx+i])
		}
	}
}

// splitMix64 is the generator of Steele, Lea & Flood 2014.
type splitMix64 uint64

// next returns 64 random bits.
func (s *splitMix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	x := uint64(*s)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform returns a random number in [0, 1), of 53 bits.
func (s *splitMix64) uniform() float64 { return float64(s.next()>>11) / (1 << 53) }

// normal returns a random number of the normal distribution with mean 0 and variance 1, by the method of Box & Muller.
func (s *splitMix64) normal() float64 {
	u, v := s.uniform(), s.uniform()
	return math.Sqrt(-2*math.Log1p(-u)) * math.Cos(2*math.Pi*v)
}
