package fault

// ForeignState follows the name of a package in the panic of a state, of a mechanism's bodies and angles, that is of another mechanism.
const ForeignState = ": foreign state: Mechanism.Adopt takes one of another mechanism over"
