package sim

// knots is what error control knows about the times at which motions go on with another polynomial. A derivative jumps
// there, and no method keeps its order on a step across. Where that costs more than an end at each, the next steps end
// at these times. After some of them steps across are tried again.
type knots struct {
	left, spell int // ends at such times still to come, and the last number of them
}
