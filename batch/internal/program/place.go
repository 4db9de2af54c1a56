package program

// Place is the address of a number in each lane of the workspace, or of a number that all lanes share.
type Place int

// None is no place. The memory of a Program begins behind it.
const None Place = 0

// firstShared is the place of the first shared number. Places of the workspace are below.
const firstShared Place = 1 << 26

// isShared reports whether p is in the array of shared numbers.
func (p Place) isShared() bool { return p >= firstShared }

// Is reports whether there is a place.
func (p Place) Is() bool { return p != None }

// At returns the place n after p. It panics if p is None.
func (p Place) At(n int) Place {
	if p == None {
		panic("program: a place behind none")
	}
	return p + Place(n)
}
