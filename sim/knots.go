package sim

// knots is the memory of error control for knots, the times at which another polynomial of a motion begins. A derivative jumps
// there, and no method keeps its order in a step across a knot. If that costs more than ending a step at each knot, the next steps end
// at knots. After some of them steps across are tried again.
type knots struct {
	left, spell int // number of knots at which steps still have to end, and the number set last
}
