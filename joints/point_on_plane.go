package joints

// A point on a plane slides along x and y and turns freely: force z. It has no
// generalized forces. Its error is z·R.

func pointOnPlaneRows(out *Rows, f *Frames) {
	out.N = 1
	force(&out.T[0], &f.EP, 2)
	offAxis(&out.Arm, &f.EP, 2, &f.R)
	offAxis(&out.Slip, &f.EP, 2, &f.V)
}
