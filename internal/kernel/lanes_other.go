//go:build !amd64 || noasm || purego

package kernel

func laneGather(_ variant, dst []Lane, src []float64, at *[Lanes]int32) {
	laneGatherPlain(dst, src, at)
}

func laneScatter(_ variant, dst []float64, at *[Lanes]int32, src []Lane) {
	laneScatterPlain(dst, at, src)
}

func laneLoad(_ variant, t *LaneBody, c *LaneConst, g *[3]float64) bool {
	return laneLoadPlain(t, c, g)
}

func laneRestWorld(_ variant, rest *[6]Lane, t *LaneBody, c *LaneConst) {
	laneRestPlain(rest, t, c, nil)
}

func laneOwn(_ variant, col *[6]Lane, t *LaneBody, c *LaneConst) {
	laneMovePlain(col, t, c, nil, &t.Axis, nil)
}

func laneCarried(_ variant, col *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	laneMovePlain(col, t, c, up, nil, nil)
}

func laneBall(_ variant, t *LaneJoint, c *LaneJointConst) { laneJointPlain(t, c, false) }

func lanePinned(_ variant, t *LaneJoint, c *LaneJointConst) { laneJointPlain(t, c, true) }

func laneRows(_ variant, y []Lane, step int, rows []Lane, n int, x *[6]Lane) {
	laneRowsPlain(y, step, rows, n, x)
}

func laneSubRows(_ variant, y, rows []Lane, n int, x *[6]Lane) { laneSubRowsPlain(y, rows, n, x) }

func laneHinge(_ variant, t *LaneBody, c *LaneConst, up *LaneBody) { laneHingePlain(t, c, up) }

func laneHingeWorld(_ variant, t *LaneBody, c *LaneConst) { laneHingeWorldPlain(t, c) }

func laneTurn(_ variant, out *[3]Lane, R *[9]Lane, x *[3]Lane) { laneTurnPlain(out, R, x) }

func laneTurnBack(_ variant, out *[3]Lane, E *[9]Lane, x *[3]Lane) { laneTurnBackPlain(out, E, x) }

func laneDot(_ variant, sum *Lane, a, b *[6]Lane) { laneDotPlain(sum, a, b) }

func laneSub(_ variant, a *[6]Lane, t *Lane, b *[6]Lane) { laneSubPlain(a, t, b) }

func laneScale(_ variant, a *[6]Lane, t *Lane) { laneScalePlain(a, t) }

func laneRest(_ variant, rest *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	laneRestPlain(rest, t, c, up)
}

func laneRecover(_ variant, out *[6]Lane, E *[9]Lane, c *LaneConst, x *[6]Lane) {
	laneRecoverPlain(out, E, c, x)
}

func laneAdd(_ variant, a *[6]Lane, t *Lane, b *[6]Lane) { laneAddPlain(a, t, b) }

func laneRotate(_ variant, t, up *LaneBody) { laneRotatePlain(t, up) }
