//go:build !noasm && !purego

package kernel

// The kernels for lanes of the set v; AVX-512 has those of AVX2.

func laneGather(v variant, dst []Lane, src []float64, at *[Lanes]int32) {
	if v == plain {
		laneGatherPlain(dst, src, at)
		return
	}
	laneGatherAVX2(&dst[0][0], &src[0], &at[0], len(dst))
}

func laneScatter(v variant, dst []float64, at *[Lanes]int32, src []Lane) {
	if v == plain {
		laneScatterPlain(dst, at, src)
		return
	}
	laneScatterAVX2(&dst[0], &src[0][0], &at[0], len(src))
}

func laneLoad(v variant, t *LaneBody, c *LaneConst, g *[3]float64) bool {
	if v == plain {
		return laneLoadPlain(t, c, g)
	}
	return laneLoadAVX2(&t.State[0][0], &c.Com[0][0], &g[0]) != 0
}

func laneRestWorld(v variant, rest *[6]Lane, t *LaneBody, c *LaneConst) {
	if v == plain {
		laneRestPlain(rest, t, c, nil)
		return
	}
	laneRestWorldAVX2(&rest[0][0], &t.State[0][0], &c.Com[0][0])
}

func laneOwn(v variant, col *[6]Lane, t *LaneBody, c *LaneConst) {
	if v == plain {
		laneMovePlain(col, t, c, nil, &t.Axis, nil)
		return
	}
	laneOwnAVX2(&col[0][0], &t.State[0][0], &c.Com[0][0])
}

func laneCarried(v variant, col *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	if v == plain {
		laneMovePlain(col, t, c, up, nil, nil)
		return
	}
	laneCarriedAVX2(&col[0][0], &t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

func laneBall(v variant, t *LaneJoint, c *LaneJointConst) {
	if v == plain {
		laneJointPlain(t, c, false)
		return
	}
	laneBallAVX2(&t.EP[0][0], &c.Axes[0][0])
}

func lanePinned(v variant, t *LaneJoint, c *LaneJointConst) {
	if v == plain {
		laneJointPlain(t, c, true)
		return
	}
	lanePinnedAVX2(&t.EP[0][0], &c.Axes[0][0])
}

func laneRows(v variant, y []Lane, step int, rows []Lane, n int, x *[6]Lane) {
	if v == plain {
		laneRowsPlain(y, step, rows, n, x)
		return
	}
	laneRowsAVX2(&y[0][0], step, &rows[0][0], n, &x[0][0])
}

func laneSubRows(v variant, y, rows []Lane, n int, x *[6]Lane) {
	if v == plain {
		laneSubRowsPlain(y, rows, n, x)
		return
	}
	laneSubRowsAVX2(&y[0][0], &rows[0][0], n, &x[0][0])
}

func laneHinge(v variant, t *LaneBody, c *LaneConst, up *LaneBody) {
	if v == plain {
		laneHingePlain(t, c, up)
		return
	}
	laneHingeAVX2(&t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

func laneHingeWorld(v variant, t *LaneBody, c *LaneConst) {
	if v == plain {
		laneHingeWorldPlain(t, c)
		return
	}
	laneHingeWorldAVX2(&t.State[0][0], &c.Com[0][0])
}

func laneTurn(v variant, out *[3]Lane, R *[9]Lane, x *[3]Lane) {
	if v == plain {
		laneTurnPlain(out, R, x)
		return
	}
	laneTurnAVX2(&out[0][0], &R[0][0], &x[0][0])
}

func laneTurnBack(v variant, out *[3]Lane, E *[9]Lane, x *[3]Lane) {
	if v == plain {
		laneTurnBackPlain(out, E, x)
		return
	}
	laneTurnBackAVX2(&out[0][0], &E[0][0], &x[0][0])
}

func laneDot(v variant, sum *Lane, a, b *[6]Lane) {
	if v == plain {
		laneDotPlain(sum, a, b)
		return
	}
	laneDotAVX2(&sum[0], &a[0][0], &b[0][0])
}

func laneSub(v variant, a *[6]Lane, t *Lane, b *[6]Lane) {
	if v == plain {
		laneSubPlain(a, t, b)
		return
	}
	laneSubAVX2(&a[0][0], &t[0], &b[0][0])
}

func laneScale(v variant, a *[6]Lane, t *Lane) {
	if v == plain {
		laneScalePlain(a, t)
		return
	}
	laneScaleAVX2(&a[0][0], &t[0])
}

func laneRest(v variant, rest *[6]Lane, t *LaneBody, c *LaneConst, up *LaneBody) {
	if v == plain {
		laneRestPlain(rest, t, c, up)
		return
	}
	laneRestAVX2(&rest[0][0], &t.State[0][0], &c.Com[0][0], &up.State[0][0])
}

func laneRecover(v variant, out *[6]Lane, E *[9]Lane, c *LaneConst, x *[6]Lane) {
	if v == plain {
		laneRecoverPlain(out, E, c, x)
		return
	}
	laneRecoverAVX2(&out[0][0], &E[0][0], &c.Com[0][0], &x[0][0])
}

func laneAdd(v variant, a *[6]Lane, t *Lane, b *[6]Lane) {
	if v == plain {
		laneAddPlain(a, t, b)
		return
	}
	laneAddAVX2(&a[0][0], &t[0], &b[0][0])
}

func laneRotate(v variant, t, up *LaneBody) {
	if v == plain {
		laneRotatePlain(t, up)
		return
	}
	laneRotateAVX2(&t.State[0][0], &up.State[0][0])
}
