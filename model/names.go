package model

import "hash/maphash"

// nameTable finds elements by name: an open hash table of indices that reads
// the names from the elements themselves, so it costs 8 to 16 bytes a name.
type nameTable struct {
	seed  maphash.Seed
	slots []uint32 // 1 + index of the element, 0 if free; a power of two, at most half full
	at    func(i int) string
}

// newNameTable returns a table for up to n names of the elements at(i).
func newNameTable(n int, at func(i int) string) *nameTable {
	size := 8
	for size < 2*n {
		size *= 2
	}
	return &nameTable{seed: maphash.MakeSeed(), slots: make([]uint32, size), at: at}
}

// find returns the element called name.
func (t *nameTable) find(name string) (int, bool) {
	return probe(t, maphash.String(t.seed, name), name)
}

// findBytes is find without a string to allocate.
func (t *nameTable) findBytes(name []byte) (int, bool) {
	return probe(t, maphash.Bytes(t.seed, name), name)
}

func probe[K string | []byte](t *nameTable, hash uint64, name K) (int, bool) {
	mask := uint64(len(t.slots) - 1)
	for k := hash & mask; t.slots[k] != 0; k = (k + 1) & mask {
		if i := int(t.slots[k] - 1); t.at(i) == string(name) {
			return i, true
		}
	}
	return 0, false
}

// insert adds element i. It returns the earlier element of that name, which
// stays in the table, and true if there is one.
func (t *nameTable) insert(i int) (int, bool) {
	name := t.at(i)
	mask := uint64(len(t.slots) - 1)
	k := maphash.String(t.seed, name) & mask
	for ; t.slots[k] != 0; k = (k + 1) & mask {
		if first := int(t.slots[k] - 1); t.at(first) == name {
			return first, true
		}
	}
	t.slots[k] = uint32(i + 1)
	return 0, false
}
