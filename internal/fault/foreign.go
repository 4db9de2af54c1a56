package fault

// ForeignState follows the name of a package in the panic about a state that belongs to another mechanism.
const ForeignState = ": foreign state: Mechanism.Adopt takes one of another mechanism over"
