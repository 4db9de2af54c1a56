package tape

import "math"

// mostBases bounds the number of bases of a program.
const mostBases = 32

// runGo is Run in Go: it interprets the lines of the kernels.
func runGo(w, shared []float64, list []Op) {
	all := compiled()
	for i := range list {
		o := &list[i]
		if o.Code == End {
			return
		}
		all[o.Code-1].run(w, shared, o)
	}
}

// run does one instruction. It first copies the shared numbers to the scratch behind w, once for each lane, then computes the bases, and
// does the operations.
func (p *program) run(w, shared []float64, o *Op) {
	var bases [mostBases]int
	bases[0] = len(w)
	w = w[:len(w)+room*Lanes]
	operands := o.operands()
	for _, n := range p.numbers {
		at := n.off
		if !n.front {
			at += int(operands[n.ptr]) / 8
		}
		x, to := shared[at], w[bases[0]+Lanes*int(n.to):][:Lanes]
		for l := range to {
			to[l] = x
		}
	}
	for i, b := range p.bases {
		at := int(operands[b.ptr]) / 8
		switch b.stride {
		case 'K':
			at += b.times * int(o.N) * Lanes
		case 'L':
			at += b.times * int(o.F) / 8
		}
		bases[i+1] = at
	}
	if p.from < 0 {
		do(p.ops, w, &bases, int(o.F)/8)
		return
	}
	do(p.ops[:p.from], w, &bases, int(o.F)/8)
	for range o.N {
		do(p.ops[p.from:p.to], w, &bases, int(o.F)/8)
	}
	do(p.ops[p.to:], w, &bases, int(o.F)/8)
}

// row is a vector: a number for each lane.
type row = [Lanes]float64

// do does operations on w. rowF is the number of numbers in F bytes.
func do(ops []operation, w []float64, bases *[mostBases]int, rowF int) {
	at := func(o *operation, i int) *row { return (*row)(w[bases[o.base[i]%mostBases]+int(o.off[i]):]) }
	for i := range ops {
		o := &ops[i]
		switch o.op {
		case opCopy:
			*at(o, 0) = *at(o, 1)
		case opNull:
			*at(o, 0) = row{}
		case opAdd:
			d, x, y := at(o, 0), at(o, 1), at(o, 2)
			d[0], d[1], d[2], d[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
			d[4], d[5], d[6], d[7] = x[4]+y[4], x[5]+y[5], x[6]+y[6], x[7]+y[7]
		case opSub:
			d, x, y := at(o, 0), at(o, 1), at(o, 2)
			d[0], d[1], d[2], d[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
			d[4], d[5], d[6], d[7] = x[4]-y[4], x[5]-y[5], x[6]-y[6], x[7]-y[7]
		case opMul:
			d, x, y := at(o, 0), at(o, 1), at(o, 2)
			d[0], d[1], d[2], d[3] = x[0]*y[0], x[1]*y[1], x[2]*y[2], x[3]*y[3]
			d[4], d[5], d[6], d[7] = x[4]*y[4], x[5]*y[5], x[6]*y[6], x[7]*y[7]
		case opFma:
			d, x, y, z := at(o, 0), at(o, 1), at(o, 2), at(o, 3)
			d[0], d[1] = math.FMA(y[0], z[0], x[0]), math.FMA(y[1], z[1], x[1])
			d[2], d[3] = math.FMA(y[2], z[2], x[2]), math.FMA(y[3], z[3], x[3])
			d[4], d[5] = math.FMA(y[4], z[4], x[4]), math.FMA(y[5], z[5], x[5])
			d[6], d[7] = math.FMA(y[6], z[6], x[6]), math.FMA(y[7], z[7], x[7])
		case opFnma:
			d, x, y, z := at(o, 0), at(o, 1), at(o, 2), at(o, 3)
			d[0], d[1] = math.FMA(-y[0], z[0], x[0]), math.FMA(-y[1], z[1], x[1])
			d[2], d[3] = math.FMA(-y[2], z[2], x[2]), math.FMA(-y[3], z[3], x[3])
			d[4], d[5] = math.FMA(-y[4], z[4], x[4]), math.FMA(-y[5], z[5], x[5])
			d[6], d[7] = math.FMA(-y[6], z[6], x[6]), math.FMA(-y[7], z[7], x[7])
		case opStep:
			bases[o.base[0]%mostBases] += int(o.off[0])
		case opStepL:
			bases[o.base[0]%mostBases] += rowF
		default:
			rare(o.op, at(o, 0), at(o, 1), at(o, 2), at(o, 3), at(o, 4))
		}
	}
}

// rare does an operation that occurs seldom.
func rare(op opcode, d, x, y, z, u *row) {
	for l := range d {
		switch op {
		case opDiv:
			d[l] = x[l] / y[l]
		case opSqrt:
			d[l] = math.Sqrt(x[l])
		case opMax:
			d[l] = larger(x[l], y[l])
		case opMore:
			d[l] = more(x[l], y[l], z[l], u[l])
		}
	}
}
