package lines

// Structures lists the structures of package lanes.
func Structures() []Structure {
	return append([]Structure{
		{"BodyConst", `holds the constants of bodies that joints connect to their parents. Vectors are in the axes
of the body unless noted.`, []Field{
			{"Com", 3, "centre of mass"},
			{"L", 6, "L·Lᵀ is the rotational inertia; lower triangles as 00, 11, 22, 10, 20, 21"},
			{"Inv", 6, "L⁻¹"},
			{"Root", 1, "√m"},
			{"InvRoot", 1, "1/√m"},
			{"ArmP", 3, "from the parent's centre of mass to the joint, axes of the parent"},
			{"ArmC", 3, "from the body's centre of mass to the joint"},
			{"Frame", 9, "axes of the hinge's frame, the third along the hinge, in the axes of the body or of the parent"},
		}, false},
		{"Body", "holds the numbers of bodies at one state. Matrices are stored by rows.", []Field{
			{"State", 13, "position, unit quaternion, velocity, angular velocity, in world axes"},
			{"Kin", 12, "axes of the body in the world, E, and E·com"},
			{"Spin", 3, "angular velocity"},
			{"Load", 6, "C⁻¹·f; Particular subtracts c from it"},
			{"R", 9, "rotation from the axes of the parent to those of the body"},
			{"Rel", 6, "angular and linear acceleration relative to the parent if the joint does not accelerate"},
			{"Axis", 3, "direction of the hinge"},
			{"At", 6, "angular and linear acceleration, see Particular, OwnDirection and CarriedDirection"},
			{"Size", 1, "Σ c²"},
			{"Free", 1, "largest magnitude in C⁻¹·f, NaN if a number in it is NaN"},
			{"Off", 1, "distance of the quaternion's square from one, NaN if the state is not finite"},
		}, false},
		{"JointConst", `holds the constants of joints that hold a point of body P and a point of body S together (Pin). The
inverses and roots of the world are zero.`, []Field{
			{"Axes", 9, "axes of the joint in P"},
			{"ArmP", 3, "from the centre of mass of P to the joint"},
			{"ArmS", 3, "from the centre of mass of S to the joint"},
			{"InvP", 6, "−L⁻¹ of P"},
			{"InvS", 6, "L⁻¹ of S"},
			{"RootP", 1, "−1/√m of P"},
			{"RootS", 1, "1/√m of S"},
		}, false},
		{"Joint", "holds the numbers of joints at one state.", []Field{
			{"EP", 9, "axes of P in the world"},
			{"ES", 9, "axes of S in the world"},
			{"OmegaP", 3, "angular velocity of P, world axes"},
			{"OmegaS", 3, "angular velocity of S, world axes"},
			{"W", 9, "axes of the joint in the world"},
			{"A", 9, "axes of the joint in S"},
			{"P", 30, "rows on P"},
			{"S", 30, "rows on S"},
			{"Scale", 5, "squared norms of the rows"},
			{"B", 5, "right sides"},
		}, false},
	}, directionStructures()...)
}

// Functions lists the kernels of package lanes, for eight groups of bodies or eight joints at one state, or for eight directions.
func Functions() (list []*Function) {
	list = append(append(list, hinges()...), moves()...)
	list = append(append(list, products()...), jointRows()...)
	return append(list, directions()...)
}

// function appends a function whose lines body adds.
func function(list *[]*Function, name, signature, doc string, body func(k *Function)) {
	f := newFunction(name, signature, doc)
	body(f)
	*list = append(*list, f)
}

// hinges returns the functions that compute the numbers of bodies and hinges from their states.
func hinges() (list []*Function) {
	add := func(name, signature, doc string, body func(k *Function)) { function(&list, name, signature, doc, body) }
	add("load", "t *Body, c *BodyConst, down *[3]float64", "is Load without the result; down is the gravity.", loadBodies)
	add("Rotate", "t, up *Body",
		"stores Eᵀ·E_P in R of t. up are the parents of t, and E_P the axes of up.\n\nCost: 45 operations a lane, no allocation.",
		func(k *Function) {
			E, F, R := k.at("t.Kin"), k.at("up.Kin"), k.at("t.R")
			for j := range 3 {
				for i, v := range k.timesT(E, k.column(F, j)) {
					k.st(R.behind(3*i+j), v)
				}
			}
		})
	add("HingeBias", "t *Body, c *BodyConst, up *Body",
		`computes Rel of t from R, for hinges between the bodies and their parents up, with P = ArmP and C = ArmC:

	Rel = (R·ω_P × ω,  R·(ω_P×(ω_P×P)) − ω×(ω×C)).

Cost: about 85 operations a lane, no allocation.`, func(k *Function) {
			R, up, own := k.at("t.R"), k.three("up.Spin"), k.three("t.Spin")
			a := k.times(R, k.centripetal(up, k.three("c.ArmP")))
			k.put(k.at("t.Rel"), k.cross(k.times(R, up), own)...)
			k.put(k.at("t.Rel").behind(3), k.less(a, k.centripetal(own, k.three("c.ArmC")))...)
		})
	add("HingeBiasWorld", "t *Body, c *BodyConst",
		"is HingeBias for hinges between the bodies and the world: Rel = (0, −ω×(ω×C)).", func(k *Function) {
			zero := k.null()
			k.put(k.at("t.Rel"), zero, zero, zero)
			a := k.centripetal(k.three("t.Spin"), k.three("c.ArmC"))
			k.put(k.at("t.Rel").behind(3), k.less([]Val{zero, zero, zero}, a)...)
		})
	add("Turn", "out *[3]Vector, R *[9]Vector, v *[3]Vector", "stores R·v.", func(k *Function) {
		k.put(k.at("out"), k.times(k.at("R"), k.three("v"))...)
	})
	add("TurnBack", "out *[3]Vector, E *[9]Vector, v *[3]Vector", "stores Eᵀ·v.", func(k *Function) {
		k.put(k.at("out"), k.timesT(k.at("E"), k.three("v"))...)
	})
	return list
}

// loadBodies writes load: the axes E, com in world axes, u = Eᵀω, and the weighted load, L⁻¹·(L·Lᵀu×u) and √m·Eᵀ·down, with its largest
// magnitude. Off is the distance of the square of the quaternion from one, NaN if a number of the state is not finite.
func loadBodies(k *Function) {
	// Zero times a number is zero if the number is finite, and NaN otherwise.
	zero, bad := k.null(), k.null()
	state := k.at("t.State")
	for _, i := range []int{0, 1, 2, 7, 8, 9, 10, 11, 12} {
		bad = k.fma(state.behind(i), zero, bad)
	}
	q := k.vec(state.behind(3), 4)
	k.st(k.at("t.Off"), k.add(k.abs(k.sub(k.dot(anys(q), anys(q)), constant(one))), bad))

	E := k.at("t.Kin")
	k.unitAxes(E, q)
	k.put(E.behind(9), k.times(E, k.three("c.Com"))...)
	u := k.timesT(E, k.vec(state.behind(10), 3))
	k.put(k.at("t.Spin"), u...)
	h := k.lower(k.at("c.L"), k.lowerT(k.at("c.L"), u))
	load := k.lower(k.at("c.Inv"), k.cross(h, u))
	k.put(k.at("t.Load"), load...)
	load = append(load, k.scaled(k.ld(k.at("c.Root")), k.timesT(E, k.three("down")))...)
	k.put(k.at("t.Load").behind(3), load[3:]...)

	// The largest magnitude. The sum of 1 and all magnitudes is NaN if one of them is NaN.
	largest, sum := k.null(), k.ld(constant(one))
	for _, v := range load {
		v = k.abs(v)
		largest, sum = k.max(v, largest), k.add(sum, v)
	}
	k.st(k.at("t.Free"), k.more(sum, constant(half), largest, sum))
}

// unitAxes stores at E the rotation matrix of the unit quaternion q.
func (k *Kernel) unitAxes(E Mem, q []Val) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	x2, y2, z2 := k.add(x, x), k.add(y, y), k.add(z, z)
	plus := func(a, b, c, d Val) Val { return k.fma(c, d, k.mul(a, b)) }
	minus := func(a, b, c, d Val) Val { return k.fnma(c, d, k.mul(a, b)) }
	left := func(a, b, c, d Val) Val { return k.sub(constant(one), plus(a, b, c, d)) }
	k.st(E.behind(0), left(y, y2, z, z2))
	k.st(E.behind(1), minus(x, y2, w, z2))
	k.st(E.behind(2), plus(x, z2, w, y2))
	k.st(E.behind(3), plus(x, y2, w, z2))
	k.st(E.behind(4), left(x, x2, z, z2))
	k.st(E.behind(5), minus(y, z2, w, x2))
	k.st(E.behind(6), minus(x, z2, w, y2))
	k.st(E.behind(7), plus(y, z2, w, x2))
	k.st(E.behind(8), left(x, x2, y, y2))
}

// moves returns the functions that compute the accelerations of bodies from the accelerations of their parents.
func moves() (list []*Function) {
	add := func(name, signature, doc string, body func(k *Function)) { function(&list, name, signature, doc, body) }
	add("Particular", "rest *[6]Vector, t *Body, c *BodyConst, up *Body",
		`stores in At the accelerations of the bodies of t if the accelerations of their parents are up.At,

	α = R·α_P + Rel_α,   a = R·(a_P + α_P×P) − α×C + Rel_a,

and in rest the product of Cᵀ and At, (Lᵀ·α, √m·a). It subtracts rest from Load, and stores the sum of its squares in Size.

Cost: about 90 operations a lane, no allocation.`, func(k *Function) {
			w, v := k.carried()
			k.rest(k.move("rest", k.more3(w, "t.Rel", 0), k.more3(v, "t.Rel", 3)))
		})
	add("ParticularWorld", "rest *[6]Vector, t *Body, c *BodyConst",
		"is Particular for bodies on the world: α = Rel_α, a = Rel_a − α×C.", func(k *Function) {
			k.rest(k.move("rest", k.three("t.Rel"), k.vec(k.at("t.Rel").behind(3), 3)))
		})
	add("OwnDirection", "col *[6]Vector, t *Body, c *BodyConst",
		"stores in At the accelerations of the bodies for unit accelerations of the hinges, α = Axis, a = −α×C, and Cᵀ·At in col.",
		func(k *Function) {
			zero := k.null()
			k.move("col", k.three("t.Axis"), []Val{zero, zero, zero})
		})
	add("CarriedDirection", "col *[6]Vector, t *Body, c *BodyConst, up *Body",
		`stores in At the accelerations of the bodies of t if the accelerations of their parents are up.At and
their hinges do not accelerate, α = R·α_P, a = R·(a_P + α_P×P) − α×C, and Cᵀ·At in col.`, func(k *Function) {
			w, v := k.carried()
			k.move("col", w, v)
		})
	add("Recover", "out *[6]Vector, E *[9]Vector, c *BodyConst, x *[6]Vector",
		`stores in out the accelerations of bodies in world axes, given their weighted accelerations x:
out = (E·L⁻ᵀ·x_α, E·x_a/√m).

Cost: about 50 operations a lane, no allocation.`, func(k *Function) {
			E, x := k.at("E"), k.at("x")
			k.put(k.at("out"), k.times(E, k.lowerT(k.at("c.Inv"), k.vec(x, 3)))...)
			v := k.times(E, k.vec(x.behind(3), 3))
			k.put(k.at("out").behind(3), k.scaled(k.ld(k.at("c.InvRoot")), v)...)
		})
	return list
}

// carried returns the angular acceleration of the parents up, and the linear acceleration of the joints on them, in the axes of the
// bodies of t: R·α_P and R·(a_P + α_P×P).
func (f *Function) carried() (w, v []Val) {
	a := f.three("up.At")
	v = f.cross(a, f.three("c.ArmP"))
	for i, x := range v {
		v[i] = f.add(x, f.at("up.At").behind(3+i))
	}
	return f.times(f.at("t.R"), a), f.times(f.at("t.R"), v)
}

// more3 returns the sum of v and the vector that begins behind numbers behind the place name.
func (f *Function) more3(v []Val, name string, behind int) []Val {
	out := make([]Val, 3)
	for i := range out {
		out[i] = f.add(v[i], f.at(name).behind(behind+i))
	}
	return out
}

// move stores in At the accelerations of the bodies of t, given the angular acceleration w and the acceleration v of their joints. It
// stores Cᵀ·At in to, and returns it.
func (f *Function) move(to string, w, v []Val) []Val {
	v = f.less(v, f.cross(w, f.three("c.ArmC")))
	f.put(f.at("t.At"), append(append([]Val{}, w...), v...)...)
	out := append(f.lowerT(f.at("c.L"), w), f.scaled(f.ld(f.at("c.Root")), v)...)
	f.put(f.at(to), out...)
	return out
}

// rest subtracts c, which is Cᵀ·At, from Load of t, and stores cᵀc in Size.
func (f *Function) rest(c []Val) {
	f.st(f.at("t.Size"), f.dot(anys(c), anys(c)))
	for i, v := range c {
		load := f.at("t.Load").behind(i)
		f.st(load, f.sub(load, v))
	}
}

// products returns the functions that multiply and add vectors of six numbers.
func products() (list []*Function) {
	add := func(name, signature, doc string, body func(k *Function)) { function(&list, name, signature, doc, body) }
	add("Dot", "sum *Vector, a, b *[6]Vector", "adds Σ a·b to sum.", func(k *Function) {
		s := k.ld(k.at("sum"))
		for i := range 6 {
			s = k.fma(k.ld(k.at("a").behind(i)), k.at("b").behind(i), s)
		}
		k.st(k.at("sum"), s)
	})
	onto := func(change func(k *Function, t Val, a, b Mem) Val) func(k *Function) {
		return func(k *Function) {
			t := k.ld(k.at("t"))
			for i := range 6 {
				a := k.at("a").behind(i)
				k.st(a, change(k, t, a, Mem{Ptr: 'C', Off: i}))
			}
		}
	}
	add("Sub", "a *[6]Vector, t *Vector, b *[6]Vector", "subtracts t·b from a.",
		onto(func(k *Function, t Val, a, b Mem) Val { return k.fnma(t, b, a) }))
	add("Add", "a *[6]Vector, t *Vector, b *[6]Vector", "adds t·b to a.",
		onto(func(k *Function, t Val, a, b Mem) Val { return k.fma(t, b, a) }))
	add("Scale", "a *[6]Vector, t *Vector", "multiplies a by t.",
		onto(func(k *Function, t Val, a, _ Mem) Val { return k.mul(t, a) }))
	add("InverseRoot", "s *Vector", "replaces every s by 1/√s, and an infinite s by NaN.", func(k *Function) {
		v := k.ld(k.at("s"))
		k.st(k.at("s"), k.div(constant(one), k.sqrt(k.add(v, k.sub(v, v)))))
	})
	rows := func(k *Function) (row, x []any) {
		v := k.vec(k.at("x"), 6)
		for _, x := range v {
			k.pin(x)
		}
		return lanesOf(k.at("v").Ptr, 0, 6, 1), anys(v)
	}
	add("products", "y *Vector, step int, v *Vector, n int, x *[6]Vector", "is Products for n ≥ 1.", func(k *Function) {
		row, x := rows(k)
		k.loop(func() {
			k.st(k.at("y"), k.dot(x, row))
			k.stepL('A')
			k.step('B', 6)
		})
	})
	add("subProducts", "y, v *Vector, n int, x *[6]Vector", "is SubProducts for n ≥ 1.", func(k *Function) {
		row, x := rows(k)
		k.loop(func() {
			s := k.ld(k.at("y"))
			for i := range x {
				s = k.fnma(x[i], row[i], s)
			}
			k.st(k.at("y"), s)
			k.step('A', 1)
			k.step('B', 6)
		})
	})
	return list
}

// jointRows returns the functions that compute the rows of ball joints and hinges.
func jointRows() (list []*Function) {
	const moments = true
	function(&list, "BallRows", "t *Joint, c *JointConst",
		`computes S, Scale and B of ball joints as PinRows computes v, scale and b. It stores in P the parts of the
rows that belong to P, for the opposite axes; their squares are in Scale too.`, func(k *Function) { rowsOf(k, !moments) })
	function(&list, "HingeRows", "t *Joint, c *JointConst", "is BallRows for hinges.", func(k *Function) { rowsOf(k, moments) })
	return list
}

// rowsOf writes BallRows, or HingeRows if moments is set.
func rowsOf(k *Function, moments bool) {
	frame, world, axes := k.at("c.Axes"), k.at("t.W"), k.at("t.A")
	for j := range 3 {
		w := k.times(k.at("t.EP"), k.column(frame, j))
		for i, v := range w {
			k.st(world.behind(3*i+j), v)
		}
		for i, v := range k.timesT(k.at("t.ES"), w) {
			k.st(axes.behind(3*i+j), v)
		}
	}
	wp, ws := k.timesT(world, k.three("t.OmegaP")), k.timesT(world, k.three("t.OmegaS"))
	if moments {
		k.put(k.at("t.B").behind(3), k.cross(wp, ws)[:2]...)
	}
	bias := k.centripetal(wp, k.timesT(frame, k.three("c.ArmP")))
	k.put(k.at("t.B"), k.less(bias, k.centripetal(ws, k.timesT(axes, k.three("c.ArmS"))))...)
	for i := range 3 {
		var row []Val
		for _, side := range []struct {
			axes Mem
			name string
		}{{frame, "P"}, {axes, "S"}} {
			f := k.column(side.axes, i)
			n := k.lower(k.at("c.Inv"+side.name), k.cross(k.three("c.Arm"+side.name), f))
			n = append(n, k.scaled(k.ld(k.at("c.Root"+side.name)), f)...)
			k.put(k.at("t."+side.name).behind(6*i), n...)
			row = append(row, n...)
		}
		k.st(k.at("t.Scale").behind(i), k.dot(anys(row), anys(row)))
	}
	if !moments {
		return
	}
	for i := range 2 {
		p, s := k.lower(k.at("c.InvP"), k.column(frame, i)), k.lower(k.at("c.InvS"), k.column(axes, i))
		zero := k.null()
		k.put(k.at("t.P").behind(6*(3+i)), append(p, zero, zero, zero)...)
		k.put(k.at("t.S").behind(6*(3+i)), append(s, zero, zero, zero)...)
		p = append(p[:3:3], s[:3]...)
		k.st(k.at("t.Scale").behind(3+i), k.dot(anys(p), anys(p)))
	}
}
