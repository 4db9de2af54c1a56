package model

import "hash/maphash"

// nameTable finds elements by name: a hash table of indices with open addressing. It reads
// the names from the elements themselves, and so costs 16 to 32 bytes per name.
type nameTable struct {
	seed  maphash.Seed
	slots []slot // their number is a power of two; at most half of them are used
	at    func(i int) string
}

// slot is a slot of the table: the upper half of a name's hash, so that names with other hashes
// are rarely compared, and 1 + the index of the element, or 0 if the slot is free.
type slot struct{ tag, index uint32 }

// newNameTable returns a table for up to n names of the elements at(i).
func newNameTable(n int, at func(i int) string) *nameTable {
	size := 8
	for size < 2*n {
		size *= 2
	}
	return &nameTable{seed: maphash.MakeSeed(), slots: make([]slot, size), at: at}
}

// window is the number of elements on each side of near that findNear compares first.
const window = 2

// findNear is find, but compares first the elements around index near, of n. A joint mostly connects bodies that are close,
// in the list, to the bodies of the joint before it, whereas a look-up in the table costs a cache miss.
func (t *nameTable) findNear(name string, near, n int) (int, bool) {
	for i := max(near-window, 0); i < min(near+window+1, n); i++ {
		if t.at(i) == name {
			return i, true
		}
	}
	return t.find(name)
}

// find returns the index of the element called name, and false if there is none.
func (t *nameTable) find(name string) (int, bool) {
	return probe(t, maphash.String(t.seed, name), name)
}

// findBytes is find for a name in bytes; it allocates no string.
func (t *nameTable) findBytes(name []byte) (int, bool) {
	return probe(t, maphash.Bytes(t.seed, name), name)
}

// probe is find for a name with its hash, by linear probing from the slot of the hash.
func probe[K string | []byte](t *nameTable, hash uint64, name K) (int, bool) {
	mask, tag := uint64(len(t.slots)-1), uint32(hash>>32)
	for k := hash & mask; t.slots[k].index != 0; k = (k + 1) & mask {
		if s := t.slots[k]; s.tag == tag && t.at(int(s.index-1)) == string(name) {
			return int(s.index - 1), true
		}
	}
	return 0, false
}

// insert adds element i. If an earlier element has the same name, insert changes nothing and returns the index of that
// element, and true.
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
