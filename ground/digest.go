package ground

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
)

// Digest returns a fingerprint of the definition of a surface: its kind, and every height, expression, part and option.
// It is equal for equal definitions, in other processes and on other machines too.
//
// Cost: O(nodes) at the first call, O(1) after it; with Tiles O(values) at each call, as they change. It is safe for
// concurrent use where At is.
func (s *Surface) Digest() uint64 {
	if s.changes() {
		return s.digest()
	}
	s.once.Do(func() { s.print = s.digest() })
	return s.print
}

// changes reports whether a part of the surface has Tiles.
func (s *Surface) changes() bool {
	for _, p := range s.parts {
		if p.changes() {
			return true
		}
	}
	return s.kind == kindTiles
}

// digest computes the fingerprint from the kind and the numbers of s, or from the digests of its parts.
func (s *Surface) digest() uint64 {
	h := fnv.New64a()
	w := bufio.NewWriter(h)
	fmt.Fprintln(w, s.kind)
	switch s.kind {
	case kindPlane:
		numbers(w, s.plane.point[:]...)
		numbers(w, s.plane.a, s.plane.b)
	case kindGrid:
		fmt.Fprintln(w, s.grid.axes)
		numbers(w, s.grid.base)
		numbers(w, s.grid.values...)
	case kindFunction:
		fmt.Fprintln(w, *s.f)
	case kindSum:
		for _, p := range s.parts {
			fmt.Fprintln(w, p.Digest())
		}
	case kindTiles:
		fmt.Fprintln(w, s.tiles.origin, s.tiles.spacing, s.tiles.places)
		numbers(w, s.tiles.values...)
	}
	_ = w.Flush() // hashes do not fail
	return h.Sum64()
}

// numbers writes the bits of the numbers of a list, with 0 for −0.
func numbers(w io.Writer, list ...float64) {
	var b [8]byte
	for _, x := range list {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x+0))
		_, _ = w.Write(b[:])
	}
}
