// Package program makes programs of lane operations (internal/tape): the places of a workspace, the numbers that all states
// share, and tapes. It knows no mechanism.
package program
