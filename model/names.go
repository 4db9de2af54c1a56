package model

import "hash/maphash"

// nameTable finds elements by name: an open hash table of indices that reads
// the names from the elements themselves, so it costs 16 to 32 bytes a name.
type nameTable struct {
	seed  maphash.Seed
	slots []slot // a power of two, at most half full
	at    func(i int) string
}

// slot is a place of the table: the upper half of a name's hash, so that names of
// other elements are hardly ever looked at, and 1 + the index of the element, 0 if
// the slot is free.
type slot struct{ tag, index uint32 }

// newNameTable returns a table for up to n names of the elements at(i).
func newNameTable(n int, at func(i int) string) *nameTable {
	size := 8
	for size < 2*n {
		size *= 2
	}
	return &nameTable{seed: maphash.MakeSeed(), slots: make([]slot, size), at: at}
}

// window is how many elements on each side findNear looks at.
const window = 2

// findNear is find that first looks at the elements around near. What joints
// connect mostly stands near what the joint before connects, and the table, which
// is in no order, costs a cache miss a name.
func (t *nameTable) findNear(name string, near, n int) (int, bool) {
	for i := max(near-window, 0); i < min(near+window+1, n); i++ {
		if t.at(i) == name {
			return i, true
		}
	}
	return t.find(name)
}

// find returns the element called name.
func (t *nameTable) find(name string) (int, bool) {
	return probe(t, maphash.String(t.seed, name), name)
}

// findBytes is find without a string to allocate.
func (t *nameTable) findBytes(name []byte) (int, bool) {
	return probe(t, maphash.Bytes(t.seed, name), name)
}

// probe is find for a name whose hash is known.
func probe[K string | []byte](t *nameTable, hash uint64, name K) (int, bool) {
	mask, tag := uint64(len(t.slots)-1), uint32(hash>>32)
	for k := hash & mask; t.slots[k].index != 0; k = (k + 1) & mask {
		if s := t.slots[k]; s.tag == tag && t.at(int(s.index-1)) == string(name) {
			return int(s.index - 1), true
		}
	}
	return 0, false
}

// insert adds element i. It returns the earlier element of that name, which
// stays in the table, and true if there is one.
func (t *nameTable) insert(i int) (int, bool) {
	name := t.at(i)
	hash := maphash.String(t.seed, name)
	mask, tag := uint64(len(t.slots)-1), uint32(hash>>32)
	k := hash & mask
	for ; t.slots[k].index != 0; k = (k + 1) & mask {
		if s := t.slots[k]; s.tag == tag && t.at(int(s.index-1)) == name {
			return int(s.index - 1), true
		}
	}
	t.slots[k] = slot{tag, uint32(i + 1)}
	return 0, false
}
