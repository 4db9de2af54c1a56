package main

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/tape/places"
)

// maxTree is the number of freedoms, and of bodies, of a group of bodies on the ground.
const maxTree = 3

// chains lists the freedoms of the joints that lead to the bodies of a group, from the ground on: all lists of up to
// maxTree freedoms.
func chains(left int) (list [][]int) {
	for n := 1; n <= left; n++ {
		list = append(list, []int{n})
		for _, rest := range chains(left - n) {
			list = append(list, append([]int{n}, rest...))
		}
	}
	return list
}

// chainName names what is done with a chain.
func chainName(first string, chain []int) string {
	for _, n := range chain {
		first += fmt.Sprint(n)
	}
	return first
}

// trees are the instructions of bodies that hang on the ground by few freedoms: docs/theory.md (R1) to (R8).
func trees() (list []*kernel) {
	add := func(name, doc string, body func(k *kernel)) { define(&list, name, doc, body) }
	operands := " C is the frame of the body, with its arms, D its constants. The frame takes the motion, A the motion weighted, (R6)."
	add("HangFree", "moves a body that hangs on the ground by the motion E of its joint, (R3)."+operands, func(k *kernel) { hang(k, false, true, 0) })
	add("Hang", "moves a body by the motion of its parent, whose frame is B, and the motion E that its joint adds, (R3)."+operands, func(k *kernel) { hang(k, true, true, 0) })
	add("Carry", "moves a body by the motion of its parent, whose frame is B, (R3)."+operands, func(k *kernel) { hang(k, true, false, 0) })
	add("TwoHangFree", "does the same as HangFree for two motions one behind the other.", func(k *kernel) { hang(k, false, true, 0); hang(k, false, true, 6) })
	add("TwoHang", "does the same as Hang for two motions one behind the other.", func(k *kernel) { hang(k, true, true, 0); hang(k, true, true, 6) })
	add("SwingFree", "stores what velocities add at the joint to the ground of a body, (R5): B is its angular velocity, C its frame.", func(k *kernel) {
		for i := range 3 {
			k.st(at('A', i), k.null())
		}
		for i, v := range centripetal(k, k.vec(at('B', 0), 3), k.vec(at('C', places.ArmBody), 3)) {
			k.st(at('A', 3+i), k.sub(k.null(), v))
		}
	})
	add("SwingHung", "stores what velocities add at the joint of a body, (R5): B is the angular velocity of its parent, C its frame, D its angular velocity.", func(k *kernel) {
		p, w := k.vec(at('B', 0), 3), k.vec(at('D', 0), 3)
		k.put(at('A', 0), k.cross(p, w)...)
		a := centripetal(k, p, k.vec(at('C', places.ArmParent), 3))
		for i, v := range centripetal(k, w, k.vec(at('C', places.ArmBody), 3)) {
			k.st(at('A', 3+i), k.sub(a[i], v))
		}
	})
	add("Cardan", "stores the angular acceleration that velocities demand of a universal joint, (R4): B are the axes of P and C those of S, D and E the angular velocities of the bodies of S and P.", func(k *kernel) {
		x := func() []val { return []val{k.ld(at('B', 0)), k.ld(at('B', 3)), k.ld(at('B', 6))} }
		y := func() []val { return []val{k.ld(at('C', 1)), k.ld(at('C', 4)), k.ld(at('C', 7))} }
		w := make([]val, 3)
		for i := range w {
			w[i] = k.sub(at('D', i), at('E', i))
		}
		b := k.dot(anys(k.cross(k.cross(w, y()), x())), anys(w))
		n := k.cross(y(), x())
		b = k.add(b, k.dot(anys(n), anys(k.cross(k.vec(at('D', 0), 3), k.vec(at('E', 0), 3)))))
		along(k, n, k.sub(k.null(), b))
	})
	add("Along", "stores C·B/(B·B): B a direction, C a number.", func(k *kernel) { along(k, k.vec(at('B', 0), 3), k.ld(at('C', 0))) })
	add("Twist", "adds L⁻¹·Eᵀ·(B·C) to A: B the axis of a hinge, world axes, C the moment about it, D the weight of the body, E its axes.", func(k *kernel) {
		x := make([]val, 3)
		for i := range x {
			x[i] = k.mul(k.dot(anys(k.vec(at('B', 0), 3)), lanesOf('E', i, 3, 3)), at('C', 0))
		}
		for i, v := range k.lower(at('D', 0), x) {
			k.st(at('A', i), k.add(v, at('A', i)))
		}
	})
	add("Between", "stores B·(C − D) of vectors.", func(k *kernel) {
		x := make([]val, 3)
		for i := range x {
			x[i] = k.sub(at('C', i), at('D', i))
		}
		k.st(at('A', 0), k.dot(anys(x), lanesOf('B', 0, 3, 1)))
	})
	add("Pin", "stores in A where the pin of a hinge on a body is, world axes, and how fast: B is the state of the body, C its axes, D origin and axis of the pin in them.", func(k *kernel) {
		for half := range 2 {
			x := make([]val, 3)
			r := k.vec(at('D', 3*half), 3)
			for i := range x {
				x[i] = k.dot(anys(r), lanesOf('C', 3*i, 3, 1))
			}
			if half == 1 {
				k.put(at('A', places.PinAxis), x...)
				break
			}
			for i, v := range k.cross(k.vec(at('B', atOmega), 3), x) {
				k.st(at('A', i), k.add(x[i], at('B', i)))
				k.st(at('A', places.PinVelocity+i), k.add(v, at('B', atVelocity+i)))
			}
		}
		for i := range 3 {
			k.st(at('A', places.PinOmega+i), k.ld(at('B', atOmega+i)))
		}
	})
	add("Unpin", "stores in A the motions that put a body back on the pin E of a hinge, of its pose and of its velocity (R4): B is the state of the body, C its axes, D origin and axis of the hinge in them.", unpin)
	for d := 1; d <= maxTree; d++ {
		add(fmt.Sprintf("Loads%d", d), fmt.Sprintf("stores D − N·(C − c), the right side of a group (R2): C is the load of a body, B its %d columns N and c behind them.", d), func(k *kernel) {
			acc := k.vec(at('D', 0), d)
			for c := range 6 {
				v := k.sub(at('C', c), at('B', 6*d+c))
				for j := range acc {
					acc[j] = k.fnma(v, at('B', 6*j+c), acc[j])
				}
			}
			k.put(at('A', 0), acc...)
		})
		add(fmt.Sprintf("TwoLoads%d", d), fmt.Sprintf("stores D + N·c, the right sides of a group (R8), for two vectors c one behind the other in C; those of D and A are F bytes apart. B are the %d columns N of a body.", d), func(k *kernel) {
			acc := make([]val, 2*d)
			for j := range d {
				acc[j], acc[d+j] = k.ld(at('D', j)), k.ld(at('D', j).row('L', 1))
			}
			for c := range 6 {
				x, y := k.ld(at('C', c)), k.ld(at('C', 6+c))
				for j := range d {
					acc[j], acc[d+j] = k.fma(x, at('B', 6*j+c), acc[j]), k.fma(y, at('B', 6*j+c), acc[d+j])
				}
			}
			for j := range d {
				k.st(at('A', j), acc[j])
				k.st(at('A', j).row('L', 1), acc[d+j])
			}
		})
		add(fmt.Sprintf("TwoSpread%d", d), fmt.Sprintf("stores D − Nᵀ·C, the motions of a body (R1), for two vectors one behind the other; those of C are F bytes apart. B are the %d columns N of the body.", d), func(k *kernel) {
			acc := k.vec(at('D', 0), 12)
			for j := range d {
				x, y := k.ld(at('C', j)), k.ld(at('C', j).row('L', 1))
				for c := range 6 {
					acc[c], acc[6+c] = k.fnma(x, at('B', 6*j+c), acc[c]), k.fnma(y, at('B', 6*j+c), acc[6+c])
				}
			}
			k.put(at('A', 0), acc...)
		})
		for _, width := range []int{6, 3} {
			name, rows := fmt.Sprintf("Seen%d", d), "N rows B"
			if width == 3 {
				name, rows = fmt.Sprintf("SeenTurn%d", d), "N rows B of moments"
			}
			add(name, fmt.Sprintf("stores in A, with rows of F bytes, what the %d columns N of a body in C make of %s of a joint, −B·N; it subtracts B·c from D, with c behind N, and adds the squared norms of the rows to E.", d, rows), func(k *kernel) {
				seen(k, d, width)
			})
		}
	}
	for _, chain := range chains(maxTree) {
		doc := "makes the columns N of a group orthonormal: A, B, C are those of its bodies, the number of freedoms of whose joints is in the name."
		add(chainName("Orthonormal", chain), doc, func(k *kernel) { orthonormal(k, chain, len(chain) < 3) })
		narrow(list, func(k *kernel) { orthonormal(k, chain, len(chain) < 2) })
	}
	return list
}

// unpin is Unpin. With R and V the distance and the relative velocity of the origins, z and s the axes of the pin and of
// the body, and w the relative angular velocity, the motions are −(z×s, R) and −(w − (w·z)·z, V).
func unpin(k *kernel) {
	near, r := make([]val, 3), k.vec(at('D', 0), 3)
	for i := range near {
		near[i] = k.dot(anys(r), lanesOf('C', 3*i, 3, 1))
	}
	v := k.cross(k.vec(at('B', atOmega), 3), near)
	for i := range v {
		v[i] = k.sub(k.sub(k.ld(at('E', places.PinVelocity+i)), at('B', atVelocity+i)), v[i])
		near[i] = k.sub(k.sub(k.ld(at('E', i)), at('B', i)), near[i])
	}
	k.put(at('A', 3), near...)
	for i, x := range k.cross(k.vec(at('E', places.PinOmega), 3), near) { // −ω×R is ω×near
		k.st(at('A', 9+i), k.sub(v[i], x))
	}
	s := make([]val, 3)
	r = k.vec(at('D', 3), 3)
	for i := range s {
		s[i] = k.dot(anys(r), lanesOf('C', 3*i, 3, 1))
	}
	z := k.vec(at('E', places.PinAxis), 3)
	k.put(at('A', 0), k.cross(s, z)...)
	w := make([]val, 3)
	for i := range w {
		w[i] = k.sub(k.ld(at('E', places.PinOmega+i)), at('B', atOmega+i))
	}
	along := k.dot(anys(w), anys(z))
	for i := range w {
		k.st(at('A', 6+i), k.fnma(along, z[i], w[i]))
	}
}

// centripetal returns w×(w×r).
func centripetal(k *kernel, w, r []val) []val {
	wr, ww := k.dot(anys(w), anys(r)), k.dot(anys(w), anys(w))
	out := make([]val, 3)
	for i := range out {
		out[i] = k.fnma(ww, r[i], k.mul(wr, w[i]))
	}
	return out
}

// along stores b·n/(n·n).
func along(k *kernel, n []val, b val) {
	q := k.div(b, k.dot(anys(n), anys(n)))
	for i := range n {
		k.st(at('A', i), k.mul(q, n[i]))
	}
}

// hang is Hang, or what is left of it without a parent or without a motion of the joint. The motions are o lanes behind
// the first.
func hang(k *kernel, parent, joint bool, o int) {
	var turn, move []val
	if joint {
		turn, move = k.vec(at('E', o), 3), k.vec(at('E', o+3), 3)
	}
	if parent {
		up := k.vec(at('B', places.Motion+o), 3)
		for i, v := range k.cross(up, k.vec(at('C', places.ArmParent), 3)) {
			v = k.add(v, at('B', places.Motion+o+3+i))
			if joint {
				turn[i], move[i] = k.add(up[i], turn[i]), k.add(v, move[i])
			} else {
				turn, move = append(turn, up[i]), append(move, v)
			}
		}
	}
	for i, v := range k.cross(k.vec(at('C', places.ArmBody), 3), turn) {
		move[i] = k.add(v, move[i])
	}
	k.put(at('C', places.Motion+o), turn...)
	k.put(at('C', places.Motion+o+3), move...)
	inward := func(x []val) []val {
		out := make([]val, 3)
		for i := range out {
			out[i] = k.dot(anys(x), places3('C', i))
		}
		return out
	}
	t, v := inward(turn), inward(move)
	L := func(i int) mem { return at('D', atRoot+i) }
	k.st(at('A', o), k.fma(t[2], L(4), k.fma(t[1], L(3), k.mul(t[0], L(0)))))
	k.st(at('A', o+1), k.fma(t[2], L(5), k.mul(t[1], L(1))))
	k.st(at('A', o+2), k.mul(t[2], L(2)))
	root := k.ld(at('D', atMass))
	for i := range v {
		k.st(at('A', o+3+i), k.mul(root, v[i]))
	}
}

// places3 returns a column of a matrix.
func places3(ptr byte, column int) []any { return lanesOf(ptr, column, 3, 3) }

// seen is Seen or SeenTurn.
func seen(k *kernel, d, width int) {
	k.loop(func() {
		b := k.vec(at('B', 0), width)
		for j := range d + 1 {
			var s val
			if j < d {
				s = k.null()
			} else {
				s = k.ld(at('D', 0))
			}
			for c, x := range b {
				s = k.fnma(x, at('C', 6*j+c), s)
			}
			if j < d {
				k.st(at('A', j), s)
			} else {
				k.st(at('D', 0), s)
			}
		}
		s := k.ld(at('E', 0))
		for _, x := range b {
			s = k.fma(x, x, s)
		}
		k.st(at('E', 0), s)
		k.lines = append(k.lines, line{op: "stepL", dst: -1, ptr: 'A'})
		k.step('B', 6)
		k.step('D', 1)
		k.step('E', 1)
	})
}

// orthonormal makes each column a unit vector that is orthogonal to those before, by the rule of Gram and Schmidt twice.
// The freedoms of the last joint come first; a column is zero for the bodies before that of its joint, which do not hold
// it. A column stays in registers where held is set.
func orthonormal(k *kernel, chain []int, held bool) {
	type column struct{ owner, row int } // the body of its joint, and its row there
	var columns []column
	for b := len(chain) - 1; b >= 0; b-- {
		for i := range chain[b] {
			columns = append(columns, column{b, i})
		}
	}
	// first returns the number of the first column that body b holds.
	first := func(b int) (n int) {
		for _, m := range chain[b+1:] {
			n += m
		}
		return n
	}
	place := func(b, i, c int) mem { return at("ABC"[b], 6*(i-first(b))+c) }
	for i, own := range columns {
		list := map[[2]int]val{}
		load := func(b, c int) val {
			if held {
				if _, ok := list[[2]int{b, c}]; !ok {
					list[[2]int{b, c}] = k.ld(place(b, i, c))
				}
				return list[[2]int{b, c}]
			}
			return k.ld(place(b, i, c))
		}
		store := func(b, c int, v val) {
			if held {
				list[[2]int{b, c}] = v
			} else {
				k.st(place(b, i, c), v)
			}
		}
		// dot returns the product with column j ≤ i: that of each half of a body apart, so that sums do not wait for each
		// other.
		dot := func(j int) (sum val) {
			for b := columns[j].owner; b < len(chain); b++ {
				for _, from := range []int{0, 3} {
					var s val
					for c := from; c < from+3; c++ {
						v := load(b, c)
						var u any = v
						if j != i {
							u = place(b, j, c)
						}
						if c == from {
							s = k.mul(v, u)
						} else {
							s = k.fma(v, u, s)
						}
					}
					if b == columns[j].owner && from == 0 {
						sum = s
					} else {
						sum = k.add(sum, s)
					}
				}
			}
			return sum
		}
		for range 2 {
			for j := range i {
				part := dot(j)
				for b := columns[j].owner; b < len(chain); b++ {
					for c := range 6 {
						store(b, c, k.fnma(part, place(b, j, c), load(b, c)))
					}
				}
			}
		}
		size := k.div(constant(one), k.sqrt(dot(i)))
		for b := own.owner; b < len(chain); b++ {
			for c := range 6 {
				k.st(place(b, i, c), k.mul(size, load(b, c)))
			}
		}
	}
}
