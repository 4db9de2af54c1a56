package lines

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/tape/places"
)

// maxTree is the largest number of freedoms, and of bodies, of a group of bodies on the ground.
const maxTree = 3

// maxJoint is the largest number of freedoms of a joint that leads to a body of a group.
const maxJoint = 2

// chains returns all lists of the freedoms of the joints that lead to the bodies of a group, from the ground on, with up to
// left freedoms together.
func chains(left int) (list [][]int) {
	for n := 1; n <= left; n++ {
		list = append(list, []int{n})
		for _, rest := range chains(left - n) {
			list = append(list, append([]int{n}, rest...))
		}
	}
	return list
}

// chainName returns the name of an instruction for a chain: first with the numbers of freedoms appended.
func chainName(first string, chain []int) string {
	for _, n := range chain {
		first += fmt.Sprint(n)
	}
	return first
}

// What moveBody and rootHinge are told: the body has a parent, and a joint that moves it; other bodies hang on it.
const hasParent, hasJoint, holdsBodies = true, true, true

// trees returns the instructions for groups of bodies that are connected to the ground by few freedoms: docs/theory.md (R1) to (R8).
func trees() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	frame := ", (R3): C is the frame of the body, with its arms, D its constants. F takes the motions, A the motions weighted, (R6)."
	add("MotionOfJoint", "moves a body whose joint leads to the ground by N motions E of this joint"+frame, func(k *Kernel) { moveBody(k, !hasParent, hasJoint) })
	add("MotionOfBoth", "moves a body by N motions, the sums of the motions B of its parent and E of its joint"+frame, func(k *Kernel) { moveBody(k, hasParent, hasJoint) })
	add("MotionOfParent", "moves a body by N motions of its parent, B"+frame, func(k *Kernel) { moveBody(k, hasParent, !hasJoint) })
	root := "moves a body on a hinge to the ground, by a unit motion of the hinge and by the acceleration caused by velocities, (R3) and (R5): B is the axis of the hinge, world axes, C the frame of the body, D its constants, E the arm of the hinge, body axes. A takes the two motions weighted, (R6); the angular part of the second is zero and is not written."
	add("Root", root+" It makes the first of length one, which is N where no body hangs on this one.", func(k *Kernel) { rootHinge(k, !holdsBodies) })
	add("RootHolds", root+" The frame takes both, for the bodies that hang on this one.", func(k *Kernel) { rootHinge(k, holdsBodies) })
	add("BiasOnGround", "stores the acceleration caused by velocities at the joint of a body to the ground, (R5): B is its angular velocity, C its frame.", func(k *Kernel) {
		for i := range 3 {
			k.st(at('A', i), k.null())
		}
		for i, v := range centripetal(k, k.vec(at('B', 0), 3), k.vec(at('C', places.ArmBody), 3)) {
			k.st(at('A', 3+i), k.sub(k.null(), v))
		}
	})
	add("BiasOnParent", "stores the acceleration caused by velocities at the joint of a body, (R5): B is the angular velocity of its parent, C its frame, D its angular velocity.", func(k *Kernel) {
		p, w := k.vec(at('B', 0), 3), k.vec(at('D', 0), 3)
		k.put(at('A', 0), k.cross(p, w)...)
		a := centripetal(k, p, k.vec(at('C', places.ArmParent), 3))
		for i, v := range centripetal(k, w, k.vec(at('C', places.ArmBody), 3)) {
			k.st(at('A', 3+i), k.sub(a[i], v))
		}
	})
	add("UniversalBias", "stores the angular acceleration of a universal joint caused by velocities, (R4): B and C are its axes on P and on S, D and E the angular velocities of the bodies of S and P.", func(k *Kernel) {
		w := make([]Val, 3)
		for i := range w {
			w[i] = k.sub(at('D', i), at('E', i))
		}
		b := k.dot(anys(k.cross(k.cross(w, k.vec(at('C', 0), 3)), k.vec(at('B', 0), 3))), anys(w))
		n := k.cross(k.vec(at('C', 0), 3), k.vec(at('B', 0), 3))
		b = k.add(b, k.dot(anys(n), anys(k.cross(k.vec(at('D', 0), 3), k.vec(at('E', 0), 3)))))
		along(k, n, k.sub(k.null(), b))
	})
	add("Twist", "adds L⁻¹·Eᵀ·(B·C) to A: B the axis of a hinge, world axes, C the moment about it, D the weight of the body, E its axes.", func(k *Kernel) {
		x := make([]Val, 3)
		for i := range x {
			x[i] = k.mul(k.dot(anys(k.vec(at('B', 0), 3)), lanesOf('E', i, 3, 3)), at('C', 0))
		}
		for i, v := range k.lower(at('D', 0), x) {
			k.st(at('A', i), k.add(v, at('A', i)))
		}
	})
	add("Between", "stores B·(C − D) of vectors.", func(k *Kernel) {
		x := make([]Val, 3)
		for i := range x {
			x[i] = k.sub(at('C', i), at('D', i))
		}
		k.st(at('A', 0), k.dot(anys(x), lanesOf('B', 0, 3, 1)))
	})
	pin := func(k *Kernel) {
		for half := range 2 {
			x := make([]Val, 3)
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
	}
	add("Pin", "stores in A position, axis and velocities of the pin of a hinge on a body, world axes: B is the state of the body, C its axes, D origin and axis of the pin in these axes.", pin)
	add("TurnedPin", "is Pin, but also stores the rotation of the body behind the pin.", func(k *Kernel) {
		pin(k)
		for i := range 4 {
			k.st(at('A', places.PinRotation+i), k.ld(at('B', atRotation+i)))
		}
	})
	pinned := "stores in A the motions that put a body back on the pin E of a "
	back := ", of its pose and of its velocity (R4): B is the state of the body, C its axes, D its own pin in them. It adds the squares of the first motion to F."
	add("BackOnHinge", pinned+"hinge"+back, backOnHinge)
	add("PutOnPin", "puts the state A of a body on the pin D of a hinge, and stores its axes in B: C is its own pin in its axes. It adds the square of the displacement to E.", putOnPin)
	add("BackOnUniversal", pinned+"universal joint"+back, backOnUniversal)
	add("BackOnSlider", pinned+"slider"+back, backOnSlider)
	add("Slide", "stores in A the slide of a slider with the pins B and C.", func(k *Kernel) {
		r, v, z := make([]Val, 3), make([]Val, 3), k.vec(at('B', places.PinAxis), 3)
		for i := range r {
			r[i] = k.sub(at('C', i), at('B', i))
		}
		w := k.vec(at('B', places.PinOmega), 3)
		for i, x := range k.cross(w, r) {
			v[i] = k.sub(k.sub(at('C', places.PinVelocity+i), at('B', places.PinVelocity+i)), x)
		}
		q, rate := k.dot(anys(z), anys(r)), k.dot(anys(z), anys(v))
		k.put(at('A', places.SlideDistance), r...)
		k.put(at('A', 0), q, rate)
		twice := k.add(rate, rate)
		for i, x := range k.cross(w, z) {
			k.st(at('A', places.SlideAdds+i), k.mul(twice, x))
			k.st(at('A', places.SlideArm+i), k.mul(q, z[i]))
		}
	})
	add("Thrust", "adds C⁻¹·(moment, force) to A, of a force along an axis: B the arm, world axes, C the axis and the force along it behind it, D the weight, E the axes of the body.", func(k *Kernel) {
		tau, f := k.ld(at('C', 3)), k.vec(at('C', 0), 3)
		for i := range f {
			f[i] = k.mul(tau, f[i])
		}
		n := k.cross(k.vec(at('B', 0), 3), f)
		turn := func(x []Val) []Val {
			out := make([]Val, 3)
			for i := range out {
				out[i] = k.dot(anys(x), lanesOf('E', i, 3, 3))
			}
			return out
		}
		for i, v := range k.lower(at('D', 0), turn(n)) {
			k.st(at('A', i), k.add(v, at('A', i)))
		}
		root := k.ld(at('D', 6))
		for i, v := range turn(f) {
			k.st(at('A', 3+i), k.fma(v, root, at('A', 3+i)))
		}
	})
	for d := 1; d <= maxTree; d++ {
		add(fmt.Sprintf("Loads%d", d), fmt.Sprintf("stores D − N·(C − c), the right side of a group (R2): C is the load of a body, B its %d columns N and c behind them.", d), func(k *Kernel) {
			acc := k.vec(at('D', 0), d)
			for c := range 6 {
				v := k.sub(at('C', c), at('B', 6*d+c))
				for j := range acc {
					acc[j] = k.fnma(v, at('B', 6*j+c), acc[j])
				}
			}
			k.put(at('A', 0), acc...)
		})
		add(fmt.Sprintf("ErrorLoads%d", d), fmt.Sprintf("stores D + N·c, the right sides of a group (R8), for two vectors c one behind the other in C; those of D and A are F bytes apart. B are the %d columns N of a body.", d), func(k *Kernel) {
			acc := make([]Val, 2*d)
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
		for _, width := range []int{6, 3} {
			name, rows := fmt.Sprintf("Project%d", d), "N rows B"
			if width == 3 {
				name, rows = fmt.Sprintf("ProjectMoments%d", d), "N rows B of moments"
			}
			add(name, fmt.Sprintf("stores −B·N in A, with rows of F bytes, for the %d columns N of a body in C and %s of a joint. It subtracts B·c from D, where c is behind N, and adds the squared norms of the rows to E.", d, rows), func(k *Kernel) {
				project(k, d, width)
			})
		}
	}
	for _, n := range []int{3, 5} {
		for d := 1; d <= maxTree; d++ {
			add(fmt.Sprintf("GroupGram%dx%d", n, d), fmt.Sprintf("stores D − B·Bᵀ, %d rows of %d, in the block A, lower triangle, and E − B·C in the right side behind it.", n, d), func(k *Kernel) { groupGram(k, n, d) })
		}
	}
	for _, chain := range chains(maxTree) {
		if slices.Max(chain) > maxJoint {
			continue
		}
		doc := "makes the columns N of a group orthonormal: A, B, C are the columns of its bodies. The digits in the name are the numbers of freedoms of their joints."
		add(chainName("Orthonormal", chain), doc, func(k *Kernel) { orthonormal(k, chain, len(chain) < 3) })
		narrow(list, func(k *Kernel) { orthonormal(k, chain, len(chain) < 2) })
	}
	return list
}

// centripetal returns w×(w×r).
func centripetal(k *Kernel, w, r []Val) []Val {
	wr, ww := k.dot(anys(w), anys(r)), k.dot(anys(w), anys(w))
	out := make([]Val, 3)
	for i := range out {
		out[i] = k.fnma(ww, r[i], k.mul(wr, w[i]))
	}
	return out
}

// along stores b·n/(n·n).
func along(k *Kernel, n []Val, b Val) {
	q := k.div(b, k.dot(anys(n), anys(n)))
	for i := range n {
		k.st(at('A', i), k.mul(q, n[i]))
	}
}

// moveBody writes MotionOfBoth, or MotionOfJoint without a parent, or MotionOfParent without motions of the joint.
func moveBody(k *Kernel, parent, joint bool) {
	k.loop(func() {
		var turn, move []Val
		if joint {
			turn, move = k.vec(at('E', 0), 3), k.vec(at('E', 3), 3)
		}
		if parent {
			up := k.vec(at('B', 0), 3)
			for i, v := range k.cross(up, k.vec(at('C', places.ArmParent), 3)) {
				v = k.add(v, at('B', 3+i))
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
		k.put(at('F', 0), turn...)
		k.put(at('F', 3), move...)
		inward := func(x []Val) []Val {
			out := make([]Val, 3)
			for i := range out {
				out[i] = k.dot(anys(x), places3('C', i))
			}
			return out
		}
		t, v := inward(turn), inward(move)
		L := func(i int) Mem { return at('D', atRoot+i) }
		k.st(at('A', 0), k.fma(t[2], L(4), k.fma(t[1], L(3), k.mul(t[0], L(0)))))
		k.st(at('A', 1), k.fma(t[2], L(5), k.mul(t[1], L(1))))
		k.st(at('A', 2), k.mul(t[2], L(2)))
		root := k.ld(at('D', atMass))
		for i := range v {
			k.st(at('A', 3+i), k.mul(root, v[i]))
		}
		k.step('A', 6)
		k.step('F', 6)
		if parent {
			k.step('B', 6)
		}
		if joint {
			k.step('E', 6)
		}
	})
}

// rootHinge writes Root, or RootHolds if holds is set. It computes along the axes of the body, in which the arm is constant.
func rootHinge(k *Kernel, holds bool) {
	z, turn := k.vec(at('B', 0), 3), make([]Val, 3)
	for i := range turn {
		turn[i] = k.dot(anys(z), places3('C', i))
	}
	if holds {
		k.put(at('C', places.Motion), z...)
	}
	outward := func(o int, x []Val) {
		for i := 0; holds && i < 3; i++ {
			k.st(at('C', places.Motion+o+i), k.dot(anys(x), lanesOf('C', 3*i, 3, 1)))
		}
	}
	heavy := func(move []Val) (out []Val) {
		root := k.ld(at('D', atMass))
		for i := range move {
			out = append(out, k.mul(root, move[i]))
		}
		return out
	}
	L := func(i int) Mem { return at('D', atRoot+i) }
	n := []Val{
		k.fma(turn[2], L(4), k.fma(turn[1], L(3), k.mul(turn[0], L(0)))),
		k.fma(turn[2], L(5), k.mul(turn[1], L(1))),
		k.mul(turn[2], L(2)),
	}
	move := k.cross(k.vec(at('E', 0), 3), turn)
	n = append(n, heavy(move)...)
	outward(3, move)
	if !holds {
		r := k.sqrt(k.div(constant(one), k.add(k.dot(anys(n[:3]), anys(n[:3])), k.dot(anys(n[3:]), anys(n[3:])))))
		for i := range n {
			n[i] = k.mul(r, n[i])
		}
	}
	k.put(at('A', 0), n...)
	swing := centripetal(k, k.vec(at('C', places.Spin), 3), k.vec(at('E', 0), 3))
	for i := range swing {
		swing[i] = k.sub(k.null(), swing[i])
	}
	k.put(at('A', 9), heavy(swing)...)
	outward(9, swing)
}

// places3 returns the places of a column of the 3×3 matrix at ptr.
func places3(ptr byte, column int) []any { return lanesOf(ptr, column, 3, 3) }

// groupGram writes GroupGram row by row. Each row loads the numbers of B that it needs.
func groupGram(k *Kernel, n, d int) {
	for i := range n {
		b := k.vec(at('B', i*d), d)
		for j := range i + 1 {
			s := k.ld(at('D', i*n+j))
			for c := range d {
				if j == i {
					s = k.fnma(b[c], b[c], s)
				} else {
					s = k.fnma(b[c], at('B', j*d+c), s)
				}
			}
			k.st(at('A', i*n+j), s)
		}
		s := k.ld(at('E', i))
		for c := range d {
			s = k.fnma(b[c], at('C', c), s)
		}
		k.st(at('A', n*n+i), s)
	}
}

// project writes Project, or ProjectMoments if width is 3. For each of N rows B, it stores −B·N in A for the d columns N in C, subtracts
// B·c from D for the vector c behind these columns, and adds B·B to E.
func project(k *Kernel, d, width int) {
	k.loop(func() {
		b := k.vec(at('B', 0), width)
		for j := range d + 1 {
			var s Val
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
		k.stepL('A')
		k.step('B', 6)
		k.step('D', 1)
		k.step('E', 1)
	})
}

// orthonormal makes each column a unit vector that is orthogonal to the columns before, by two passes of Gram-Schmidt.
// The freedoms of the last joint come first. A column is zero, and is not stored, for bodies before the body of its joint.
// If held is set, a column stays in registers. Columns are divided by their lengths at the end, where nothing waits for the
// roots.
func orthonormal(k *Kernel, chain []int, held bool) {
	var owner []int // by column: the body of its joint
	for b := len(chain) - 1; b >= 0; b-- {
		for range chain[b] {
			owner = append(owner, b)
		}
	}
	// first returns the index of the first column that is stored for body b.
	first := func(b int) (n int) {
		for _, m := range chain[b+1:] {
			n += m
		}
		return n
	}
	place := func(b, i, c int) Mem { return at("ABC"[b], 6*(i-first(b))+c) }
	inverse := make([]Val, len(owner)) // by column: the reciprocal of its squared length
	for i := range owner {
		list := map[[2]int]Val{}
		load := func(b, c int) Val {
			v, ok := list[[2]int{b, c}]
			if !ok || !held {
				v = k.ld(place(b, i, c))
				list[[2]int{b, c}] = v
			}
			return v
		}
		// dot returns the scalar product with column j ≤ i. It adds sums of three products, so that few additions wait for each other.
		dot := func(j int) Val {
			var parts []Val
			for b := owner[j]; b < len(chain); b++ {
				for _, from := range []int{0, 3} {
					x, y := make([]any, 3), make([]any, 3)
					for c := range x {
						v := load(b, from+c)
						x[c], y[c] = v, place(b, j, from+c)
						if j == i {
							y[c] = v
						}
					}
					parts = append(parts, k.dot(x, y))
				}
			}
			return k.total(parts)
		}
		for range 2 {
			if i == 0 {
				break
			}
			part := make([]Val, i)
			for j := range part {
				part[j] = k.mul(dot(j), inverse[j])
			}
			for b := owner[i]; b < len(chain); b++ {
				for c := range 6 {
					v := load(b, c)
					for j := range part {
						if owner[j] <= b {
							v = k.fnma(part[j], place(b, j, c), v)
						}
					}
					list[[2]int{b, c}] = v
					if !held {
						k.st(place(b, i, c), v)
					}
				}
			}
		}
		if held && i > 0 {
			for b := owner[i]; b < len(chain); b++ {
				for c := range 6 {
					k.st(place(b, i, c), list[[2]int{b, c}])
				}
			}
		}
		inverse[i] = k.div(constant(one), dot(i))
	}
	for i := range owner {
		r := k.sqrt(inverse[i])
		for b := owner[i]; b < len(chain); b++ {
			for c := range 6 {
				k.st(place(b, i, c), k.mul(r, place(b, i, c)))
			}
		}
	}
}
