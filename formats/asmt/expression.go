package asmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

const (
	// maxNesting is the largest depth of nested expressions.
	maxNesting = 100
	// maxWaves is the largest number of sines and cosines in a sum: its cost grows with their square.
	maxWaves = 100
)

// function is a function of time: Σ poly[k]·tᵏ + Σ waves.
type function struct {
	poly  []float64 // at least one coefficient
	waves []wave
}

// wave is a·sin(w·t + phi).
type wave struct{ a, w, phi float64 }

func constant(x float64) function { return function{poly: []float64{x}} }

func (f function) isConstant() bool { return len(f.poly) == 1 && len(f.waves) == 0 }

// scale returns x·f.
func (f function) scale(x float64) function {
	g := function{poly: make([]float64, len(f.poly))}
	for k, c := range f.poly {
		g.poly[k] = c * x
	}
	for _, w := range f.waves {
		g.waves = append(g.waves, wave{w.a * x, w.w, w.phi})
	}
	return g.trim()
}

// add returns f + g.
func (f function) add(g function) function {
	h := function{poly: make([]float64, max(len(f.poly), len(g.poly)))}
	copy(h.poly, f.poly)
	for k, c := range g.poly {
		h.poly[k] += c
	}
	h.waves = append(append(h.waves, f.waves...), g.waves...)
	return h.trim()
}

// trim removes leading coefficients and waves that are zero, and adds waves without frequency to the constant. It changes f.poly in
// place.
func (f function) trim() function {
	for len(f.poly) > 1 && f.poly[len(f.poly)-1] == 0 {
		f.poly = f.poly[:len(f.poly)-1]
	}
	var waves []wave
	for _, w := range f.waves {
		if w.w == 0 {
			f.poly[0] += w.a * math.Sin(w.phi)
		} else if w.a != 0 {
			waves = append(waves, w)
		}
	}
	f.waves = waves
	return f
}

// mul returns f·g, or an error if the product is not of type function.
func (f function) mul(g function) (function, error) {
	switch {
	case g.isConstant():
		return f.scale(g.poly[0]), nil
	case f.isConstant():
		return g.scale(f.poly[0]), nil
	case len(f.waves)+len(g.waves) > 0:
		return f, fmt.Errorf("a sine or cosine times a function of time is not read")
	case len(f.poly)+len(g.poly) > joints.MaxCoefficients:
		return f, fmt.Errorf("a power of time above %d is not read", joints.MaxCoefficients)
	}
	h := function{poly: make([]float64, len(f.poly)+len(g.poly)-1)}
	for i, a := range f.poly {
		for j, b := range g.poly {
			h.poly[i+j] += a * b
		}
	}
	return h.trim(), nil
}

// pow returns f to the power g. g must be constant and, unless f is constant, an integer from 0 to joints.MaxCoefficients.
func (f function) pow(g function) (function, error) {
	if !g.isConstant() {
		return f, fmt.Errorf("powers of functions of time are not read")
	}
	n := g.poly[0]
	if f.isConstant() {
		return constant(math.Pow(f.poly[0], n)), nil
	}
	if n < 0 || n != math.Trunc(n) || n > joints.MaxCoefficients {
		return f, fmt.Errorf("time to the power %g is not read", n)
	}
	out := constant(1)
	for range int(n) {
		var err error
		if out, err = out.mul(f); err != nil {
			return f, err
		}
	}
	return out, nil
}

// sine returns sin(f + phase), phase in rad, or an error if f is not linear.
func (f function) sine(phase float64) (function, error) {
	if len(f.waves) > 0 || len(f.poly) > 2 {
		return f, fmt.Errorf("the sine of something that is not linear in time is not read")
	}
	w := wave{a: 1, phi: f.poly[0] + phase}
	if len(f.poly) == 2 {
		w.w = f.poly[1]
	}
	return function{poly: []float64{0}, waves: []wave{w}}.trim(), nil
}

// at returns the value at time t.
func (f function) at(t float64) float64 {
	x := 0.0
	for k := len(f.poly) - 1; k >= 0; k-- {
		x = x*t + f.poly[k]
	}
	for _, w := range f.waves {
		x += w.a * math.Sin(w.w*t+w.phi)
	}
	return x
}

// motion returns f as a motion of the model: a polynomial, or a constant plus one sine. It returns an error for other functions.
func (f function) motion() (*model.Motion, error) {
	switch {
	case len(f.waves) == 0:
		return &model.Motion{Kind: model.Polynomial, Coefficients: f.poly}, nil
	case len(f.waves) == 1 && len(f.poly) == 1:
		w := f.waves[0]
		return &model.Motion{Kind: model.Harmonic, Offset: f.poly[0], Amplitude: w.a, Frequency: w.w / (2 * math.Pi), Phase: w.phi}, nil
	}
	return nil, fmt.Errorf("the motion is neither a polynomial in time nor one sine about a constant")
}

// parseFunction reads an expression of time: numbers, also as 2.0d, pi, time, + − * / ^, sin, cos and parentheses.
func parseFunction(text string) (function, error) {
	p := &expression{rest: text}
	f, err := p.sum()
	if err == nil {
		if p.space(); p.rest != "" {
			err = fmt.Errorf("unexpected %s", fault.Name(p.rest))
		}
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w", fault.Name(text), err)
	}
	for _, x := range append(f.poly, f.at(0)) {
		if !algebra.Finite(x) {
			return f, fmt.Errorf("%s: is not finite", fault.Name(text))
		}
	}
	return f, nil
}

// expression is a parser of a text; rest is the text that is still to be read.
type expression struct {
	rest  string
	depth int
}

func (p *expression) space() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

// next skips spaces, and takes the next character off the text if it is one of the given ones. It returns 0 if not.
func (p *expression) next(of string) byte {
	p.space()
	if p.rest == "" || strings.IndexByte(of, p.rest[0]) < 0 {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// sum reads terms separated by + and −.
func (p *expression) sum() (function, error) {
	if p.depth++; p.depth > maxNesting {
		return function{}, fmt.Errorf("the expression is nested more than %d times", maxNesting)
	}
	defer func() { p.depth-- }()
	f, err := p.product()
	for err == nil {
		op := p.next("+-")
		if op == 0 {
			return f, nil
		}
		var g function
		if g, err = p.product(); err == nil && op == '-' {
			g = g.scale(-1)
		}
		if err == nil && len(f.waves)+len(g.waves) > maxWaves {
			err = fmt.Errorf("a sum of more than %d sines and cosines is not read", maxWaves)
		}
		if err == nil {
			f = f.add(g)
		}
	}
	return f, err
}

// product reads factors separated by * and /.
func (p *expression) product() (function, error) {
	f, err := p.power()
	for err == nil {
		op := p.next("*/")
		if op == 0 {
			return f, nil
		}
		var g function
		if g, err = p.power(); err != nil {
			break
		}
		if op == '/' {
			if !g.isConstant() || g.poly[0] == 0 {
				return f, fmt.Errorf("division by zero or by a function of time")
			}
			f = f.scale(1 / g.poly[0])
			continue
		}
		f, err = f.mul(g)
	}
	return f, err
}

// power reads signs, a factor and its exponent. ^ binds more tightly than a sign, and is right-associative.
func (p *expression) power() (function, error) {
	if sign := p.next("+-"); sign != 0 {
		if p.depth++; p.depth > maxNesting {
			return function{}, fmt.Errorf("the expression is nested more than %d times", maxNesting)
		}
		f, err := p.power()
		p.depth--
		if sign == '-' && err == nil {
			f = f.scale(-1)
		}
		return f, err
	}
	f, err := p.factor()
	if err != nil || p.next("^") == 0 {
		return f, err
	}
	if p.depth++; p.depth > maxNesting {
		return function{}, fmt.Errorf("the expression is nested more than %d times", maxNesting)
	}
	g, err := p.power()
	p.depth--
	if err != nil {
		return f, err
	}
	return f.pow(g)
}

// factor reads a sum in parentheses, a number, pi, time, or a sine or cosine.
func (p *expression) factor() (function, error) {
	if p.next("(") != 0 {
		f, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = fmt.Errorf("a parenthesis does not end")
		}
		return f, err
	}
	p.space()
	n := 0
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
	for n < len(p.rest) && letter(p.rest[n]) {
		n++
	}
	if n == 0 {
		return p.number()
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	switch word {
	case "pi":
		return constant(math.Pi), nil
	case "time":
		return function{poly: []float64{0, 1}}, nil
	case "sin", "cos":
		if p.next("(") == 0 {
			return function{}, fmt.Errorf("%s without parentheses", word)
		}
		f, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = fmt.Errorf("a parenthesis does not end")
		}
		if err != nil {
			return f, err
		}
		phase := 0.0
		if word == "cos" {
			phase = math.Pi / 2
		}
		return f.sine(phase)
	}
	return function{}, fmt.Errorf("%s is not read", fault.Name(word))
}

// number reads digits, a point, and an exponent after e or d. A d
// without exponent only marks double precision.
func (p *expression) number() (function, error) {
	digits := func(from int) int {
		for from < len(p.rest) && (p.rest[from] >= '0' && p.rest[from] <= '9' || p.rest[from] == '.') {
			from++
		}
		return from
	}
	n := digits(0)
	text := p.rest[:n]
	if n > 0 && n < len(p.rest) && (p.rest[n] == 'e' || p.rest[n] == 'd' || p.rest[n] == 'E' || p.rest[n] == 'D') {
		k := n + 1
		if k < len(p.rest) && (p.rest[k] == '+' || p.rest[k] == '-') {
			k++
		}
		end := digits(k)
		switch {
		case end > k:
			text += "e" + p.rest[n+1:end]
			n = end
		case p.rest[n] == 'd' || p.rest[n] == 'D':
			n++
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return function{}, fmt.Errorf("there is no number at %s", fault.Name(p.rest))
	}
	p.rest = p.rest[n:]
	return constant(x), nil
}
