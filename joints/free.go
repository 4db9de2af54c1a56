package joints

// A free joint has no rows and no error; it places a floating base. Arm and Slip
// are the whole R and V, and its motions are the rotations about and translations
// along P's axes.

func freeRows(out *Rows, f *Frames) {
	out.Arm, out.Slip = f.R, f.V
}
