package lines

// directions returns the functions for derivatives along eight directions at a time, a direction in each lane: docs/theory.md (D8),
// (D11), (D12). They do the operations of package derive for one direction in the same order, each rounded, and so give its bits.
func directions() (list []*Function) {
	add := func(name, signature, doc string, body func(k *Function)) { function(&list, name, signature, doc, body) }
	add("SweepBody", "y *[6]Vector, u *Moved, b *BodyAt",
		`stores in y minus the change of the residual of a body (D8), for directions without loads that leave mass and inertia as they are.

Cost: about 110 operations a lane, no allocation.`, sweepBody)
	joint := func(name, doc string, of jointKind) {
		add(name, "t *JointSweep, P, S *Moved, j *JointAt, yP, yS *[6]Vector", doc, func(k *Function) { sweepJoint(k, of) })
	}
	joint("SweepJoint", `subtracts from yP and yS the changes of the residuals of the bodies of a joint whose lines turn with P, (D11), (D12),
and stores in Rows of t minus the changes along its six lines at the level of accelerations. P and S are the motions of the bodies.
Frames, forces and time do not change, and the joint has no springs. It does not slide and has no bent line.

Cost: about 340 operations a lane, no allocation.`, jointKind{})
	joint("SweepOpening", `is SweepJoint, and notes by how much the rows open at the levels of positions and velocities. For each level let s
be the sum of the magnitudes in the rows. It raises Most to s, and adds s to Sum, which is NaN if any number is.

Cost: about 500 operations a lane, no allocation.`, jointKind{opens: true})
	joint("SweepSliding", `is SweepOpening for a joint that slides.

Cost: about 570 operations a lane, no allocation.`, jointKind{opens: true, slides: true})
	joint("SweepBent", `is SweepOpening for a joint with a bent line. It stores in Bent minus the change along that line.

Cost: about 580 operations a lane, no allocation.`, jointKind{opens: true, bent: true})
	return list
}

// directionStructures lists the structures of directions.
func directionStructures() []Structure {
	return append([]Structure{
		{"Moved", "holds the changes of bodies along eight directions, world axes.", []Field{
			{"Rotation", 3, ""},
			{"Position", 3, "of the centre of mass"},
			{"Angular", 3, "of the angular velocity"},
			{"Linear", 3, "of the velocity of the centre of mass"},
		}, false},
		{"JointSweep", "holds the results of SweepJoint and SweepOpening for a joint, and numbers on the way.", []Field{
			{"Rows", 6, "minus the changes along the lines at the level of accelerations: moments, then forces"},
			{"Most", 2, "for positions and velocities: the largest opening of a joint, the sum of its rows"},
			{"Sum", 2, "the sums of the openings of the joints"},
			{"DS", 3, "changes of arms"},
			{"DA", 3, ""},
			{"DB", 3, ""},
			{"DW", 3, "of the relative angular velocity"},
			{"Spin", 3, "of ω_S×s"},
			{"Past", 3, "of ω_P×a"},
			{"Turn", 3, "of the relative motion at a level, as P sees it"},
			{"Step", 3, ""},
			{"DF", 3, "of the force on S"},
			{"Slip", 3, "of twice the part of the relative velocity that the joint allows"},
			{"Tilt", 3, "θ×y for the relative rotation θ, and (θ×y)×u"},
			{"Bend", 3, ""},
			{"BentPart", 1, "part of the bent row by the relative angular velocity"},
			{"Bent", 1, "minus the change along the bent line"},
		}, false},
	}, atState()...)
}

// atState lists the structures of directions for numbers of the state, which all lanes share.
func atState() []Structure {
	return []Structure{
		{"BodyAt", "holds a body at a state for SweepBody, world axes.", []Field{
			{"K", 3, "from the origin of the frame to the centre of mass"},
			{"Omega", 3, "angular velocity ω"},
			{"Alpha", 3, "angular acceleration α"},
			{"Iw", 3, "I·ω"},
			{"Ial", 3, "I·α"},
			{"Rest", 3, "force that moves with the origin of the frame"},
			{"I", 6, "inertia as xx, yy, zz, xy, xz, yz"},
		}, true},
		{"JointAt", "holds a joint at a state for SweepJoint, world axes, with the letters of docs/theory.md (D11).", []Field{
			{"S", 3, "arms"},
			{"A", 3, ""},
			{"B", 3, ""},
			{"V", 3, "relative velocity and accelerations"},
			{"Wd", 3, ""},
			{"Vd", 3, ""},
			{"SpinS", 3, "ω_S×s, ω_P×a"},
			{"SpinP", 3, ""},
			{"OmegaP", 3, "angular velocities and accelerations of the bodies"},
			{"OmegaS", 3, ""},
			{"AlphaP", 3, ""},
			{"AlphaS", 3, ""},
			{"W", 3, "ω_S − ω_P"},
			{"N", 3, "moment and force on S"},
			{"F", 3, ""},
			{"E", 9, "axes of P"},
			{"Row", 6, "1 for lines that are rows, and 0 for others: moments about x, y and z of P, forces along them"},
			{"Allow", 2, "if it slides: the allowed part of v is Allow[0]·z(z·v) + Allow[1]·v"},
			{"Slip", 3, "the part of V that it allows"},
			{"Y", 3, "y and u of a bent line, along n = y×u"},
			{"U", 3, ""},
			{"Normal", 3, ""},
			{"Twist", 3, "(w×y)×u + y×(u×w), with w = ω_S − ω_P"},
			{"Curl", 3, "(u×w)×w"},
			{"Lambda", 1, "its multiplier"},
		}, true},
	}
}

// jointKind selects the lines of a function: opens for the levels of positions and velocities, which slides and bent demand.
type jointKind struct{ opens, slides, bent bool }

// turned returns component i of x×y, with each product rounded.
func (k *Kernel) turned(i int, x, y Mem) Val {
	a, b := (i+1)%3, (i+2)%3
	return k.sub(k.mul(x.behind(a), y.behind(b)), k.mul(x.behind(b), y.behind(a)))
}

// within returns the product of column i of the matrix at E and x, with each product rounded.
func (k *Kernel) within(i int, E, x Mem) Val {
	sum := k.add(k.mul(x, E.behind(i)), k.mul(x.behind(1), E.behind(3+i)))
	return k.add(sum, k.mul(x.behind(2), E.behind(6+i)))
}

// inertial returns I·x for the inertia at m, stored as xx, yy, zz, xy, xz, yz, with each product rounded.
func (k *Kernel) inertial(m Mem, x []any) []any {
	var out []any
	for _, row := range [3][3]int{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}} {
		sum := k.add(k.mul(x[0], m.behind(row[0])), k.mul(x[1], m.behind(row[1])))
		out = append(out, k.add(sum, k.mul(x[2], m.behind(row[2]))))
	}
	return out
}

// sweepBody writes SweepBody. With φ and w for the changes, the moment is
// φ×(Iα) − I(φ×α) + w×(Iω) + ω×(φ×(Iω) + I(w − φ×ω)) + (φ×k)×rest.
func sweepBody(k *Function) {
	y, phi, spin := k.at("y"), k.at("u.Rotation"), k.at("u.Angular")
	w, al, I, Iw, Ial := k.at("b.Omega"), k.at("b.Alpha"), k.at("b.I"), k.at("b.Iw"), k.at("b.Ial")
	far := y.behind(3) // its final number is stored below
	var x []any
	for i := range 3 {
		x = append(x, k.turned(i, phi, al))
	}
	for i, v := range k.inertial(I, x) {
		m := k.sub(k.turned(i, phi, Ial), v)
		k.st(y.behind(i), k.add(m, k.turned(i, spin, Iw)))
	}
	x = nil
	for i := range 3 {
		x = append(x, k.sub(spin.behind(i), k.turned(i, phi, w)))
	}
	for i, v := range k.inertial(I, x) {
		k.st(far.behind(i), k.add(k.turned(i, phi, Iw), v))
	}
	for i := range 3 {
		k.st(y.behind(i), k.add(k.ld(y.behind(i)), k.turned(i, w, far)))
	}
	for i := range 3 {
		k.st(far.behind(i), k.turned(i, phi, k.at("b.K")))
	}
	zero := k.null()
	for i := range 3 {
		k.st(y.behind(i), k.sub(zero, k.add(k.ld(y.behind(i)), k.turned(i, far, k.at("b.Rest")))))
	}
	k.put(far, zero, zero, zero)
}

// product returns x·y, with each product rounded.
func (k *Kernel) product(x, y Mem) Val {
	sum := k.add(k.mul(x, y), k.mul(x.behind(1), y.behind(1)))
	return k.add(sum, k.mul(x.behind(2), y.behind(2)))
}

// sweepJoint writes SweepJoint and its other forms, by the lines of derive.Derivatives.move.
func sweepJoint(k *Function, of jointKind) {
	phi, phiS, wP, wS := k.at("P.Rotation"), k.at("S.Rotation"), k.at("P.Angular"), k.at("S.Angular")
	s, a, omP, omS := k.at("j.S"), k.at("j.A"), k.at("j.OmegaP"), k.at("j.OmegaS")
	ds, da, dw, spin := k.at("t.DS"), k.at("t.DA"), k.at("t.DW"), k.at("t.Spin")
	for i := range 3 {
		k.st(ds.behind(i), k.turned(i, phiS, s))
		k.st(da.behind(i), k.turned(i, phi, a))
		k.st(dw.behind(i), k.sub(wS.behind(i), wP.behind(i)))
	}
	for i := range 3 {
		k.st(spin.behind(i), k.add(k.turned(i, wS, s), k.turned(i, omS, ds)))
	}
	if of.opens {
		openPositions(k, of)
		openVelocities(k, of)
	}
	past, turn, step := k.at("t.Past"), k.at("t.Turn"), k.at("t.Step")
	zero := k.null()
	for i := range 3 {
		x := k.add(k.turned(i, wP, a), k.turned(i, omP, da))
		if of.slides {
			x = k.add(x, k.at("t.Slip").behind(i))
		}
		k.st(past.behind(i), x)
		x = k.add(k.turned(i, wP, k.at("j.W")), k.turned(i, omP, dw))
		k.st(turn.behind(i), k.sub(zero, k.add(x, k.turned(i, phi, k.at("j.Wd")))))
	}
	for i := range 3 {
		x := k.add(k.turned(i, k.at("j.AlphaS"), ds), k.turned(i, wS, k.at("j.SpinS")))
		x = k.sub(k.add(x, k.turned(i, omS, spin)), k.turned(i, k.at("j.AlphaP"), da))
		x = k.sub(k.sub(x, k.turned(i, wP, k.at("j.SpinP"))), k.turned(i, omP, past))
		k.st(step.behind(i), k.sub(x, k.turned(i, phi, k.at("j.Vd"))))
	}
	for i := range 3 {
		k.st(k.at("t.Rows").behind(i), k.sub(zero, k.within(i, k.at("j.E"), turn)))
		k.st(k.at("t.Rows").behind(3+i), k.sub(zero, k.within(i, k.at("j.E"), step)))
	}
	if of.bent {
		x := k.add(k.product(turn, k.at("j.Normal")), k.product(k.at("t.Bend"), k.at("j.Wd")))
		x = k.add(k.add(x, k.at("t.BentPart")), k.product(k.at("t.Tilt"), k.at("j.Curl")))
		k.st(k.at("t.Bent"), k.sub(zero, x))
	}
	pushes(k, of)
}

// openPositions writes the level of positions. Where the joint slides, the arm in P changes by the part of the motion that the joint
// allows.
func openPositions(k *Function, of jointKind) {
	phi, ds, db, turn, step := k.at("P.Rotation"), k.at("t.DS"), k.at("t.DB"), k.at("t.Turn"), k.at("t.Step")
	for i := range 3 {
		k.st(turn.behind(i), k.sub(k.at("S.Rotation").behind(i), phi.behind(i)))
		k.st(db.behind(i), k.sub(k.add(k.ld(k.at("S.Position").behind(i)), ds.behind(i)), k.at("P.Position").behind(i)))
	}
	for i := range 3 {
		k.st(step.behind(i), k.sub(db.behind(i), k.turned(i, phi, k.at("j.B"))))
	}
	if of.slides {
		da := k.at("t.DA")
		for i, v := range allowed(k, step) {
			k.st(da.behind(i), k.add(v, da.behind(i)))
		}
	}
	if !of.bent {
		note(k, 0)
		return
	}
	tilt := k.at("t.Tilt")
	for i := range 3 {
		k.st(tilt.behind(i), k.turned(i, turn, k.at("j.Y")))
	}
	for i := range 3 {
		k.st(k.at("t.Bend").behind(i), k.turned(i, tilt, k.at("j.U")))
	}
	note(k, 0, k.product(turn, k.at("j.Normal")))
}

// openVelocities writes the level of velocities.
func openVelocities(k *Function, of jointKind) {
	phi, wP, omP := k.at("P.Rotation"), k.at("P.Angular"), k.at("j.OmegaP")
	turn, step := k.at("t.Turn"), k.at("t.Step")
	for i := range 3 {
		k.st(turn.behind(i), k.sub(k.at("t.DW").behind(i), k.turned(i, phi, k.at("j.W"))))
		x := k.add(k.sub(k.at("S.Linear").behind(i), k.at("P.Linear").behind(i)), k.at("t.Spin").behind(i))
		x = k.sub(k.sub(x, k.turned(i, wP, k.at("j.B"))), k.turned(i, omP, k.at("t.DB")))
		k.st(step.behind(i), k.sub(x, k.turned(i, phi, k.at("j.V"))))
	}
	if of.slides {
		for i, v := range allowed(k, step) {
			x := k.add(k.turned(i, phi, k.at("j.Slip")), v)
			k.st(k.at("t.Slip").behind(i), k.add(x, x))
		}
	}
	if !of.bent {
		note(k, 1)
		return
	}
	k.st(k.at("t.BentPart"), k.product(turn, k.at("j.Twist")))
	note(k, 1, k.add(k.product(turn, k.at("j.Normal")), k.product(k.at("t.Bend"), k.at("j.W"))))
}

// allowed returns the part of x that a joint allows which slides: Allow has the factors of the part along z of P and of x.
func allowed(k *Function, x Mem) (out [3]Val) {
	z := func(i int) Mem { return k.at("j.E").behind(3*i + 2) }
	dot := k.add(k.add(k.mul(x, z(0)), k.mul(x.behind(1), z(1))), k.mul(x.behind(2), z(2)))
	for i := range out {
		out[i] = k.add(k.mul(k.mul(dot, z(i)), k.at("j.Allow")), k.mul(x.behind(i), k.at("j.Allow").behind(1)))
	}
	return out
}

// note writes what SweepOpening notes of a level, of the motion in Turn and Step, and of the openings of more rows. Row is 1 for lines that
// are rows, and 0 for others.
func note(k *Function, level int, more ...Val) {
	zero := k.null()
	sum := zero
	for _, v := range more {
		sum = k.add(sum, k.max(k.sub(zero, v), v))
	}
	for i := range 6 {
		x := k.at("t.Turn")
		if i >= 3 {
			x = k.at("t.Step")
		}
		v := k.within(i%3, k.at("j.E"), x)
		sum = k.add(sum, k.mul(k.max(k.sub(zero, v), v), k.at("j.Row").behind(i)))
	}
	most, total := k.at("t.Most").behind(level), k.at("t.Sum").behind(level)
	k.st(most, k.max(most, sum))
	k.st(total, k.add(sum, total))
}

// pushes writes the part of SweepJoint about the loads of the joint, by the lines of derive.carriedJoint.pushed.
func pushes(k *Function, of jointKind) {
	phi, N, F, df := k.at("P.Rotation"), k.at("j.N"), k.at("j.F"), k.at("t.DF")
	yP, yS := k.at("yP"), k.at("yS")
	for i := range 3 {
		k.st(df.behind(i), k.turned(i, phi, F))
	}
	for i := range 3 {
		dn := k.turned(i, phi, N)
		if of.bent {
			dn = k.add(dn, k.mul(k.at("t.Bend").behind(i), k.at("j.Lambda")))
		}
		x := k.add(k.add(dn, k.turned(i, k.at("t.DS"), F)), k.turned(i, k.at("j.S"), df))
		k.st(yS.behind(i), k.add(x, yS.behind(i)))
		k.st(yS.behind(3+i), k.add(k.ld(yS.behind(3+i)), df.behind(i)))
		x = k.add(k.add(dn, k.turned(i, k.at("t.DA"), F)), k.turned(i, k.at("j.A"), df))
		k.st(yP.behind(i), k.sub(yP.behind(i), x))
		k.st(yP.behind(3+i), k.sub(yP.behind(3+i), df.behind(i)))
	}
}
