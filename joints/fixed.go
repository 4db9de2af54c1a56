package joints

// A fixed joint allows nothing: moments x, y, z, forces x, y, z. Arm and Slip
// are zero.

func fixedRows(out *Rows, f *Frames) {
	out.N = 6
	for j := range 3 {
		moment(&out.T[j], &f.EP, j)
		force(&out.T[3+j], &f.EP, j)
	}
}

func fixedError(delta *[6]float64, f *Frames) {
	rotationError(delta[:3], f)
	for j := range 3 {
		delta[3+j] = along(&f.EP, j, &f.R)
	}
}
