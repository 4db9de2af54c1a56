package pages

import "unsafe"

const (
	large = 2 << 20   // bytes of a large page of the processors that have them
	least = 2 * large // bytes of an array for which asking pays: a whole large page is in it
)

// Make returns make([]T, n). For an array of 4 MB and more it asks the system to use large
// pages inside the array. A sweep through a factor then misses the tables of pages less often.
// A system without large pages, or one that is set to refuse, ignores the request. The place in
// memory keeps it after the array has gone.
//
// Cost: as make, and a system call for a large array.
func Make[T any, N int | int64](n N) []T {
	s := make([]T, n)
	var one T
	if size := uintptr(n) * unsafe.Sizeof(one); size >= least {
		advise(inside(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size)))
	}
	return s
}

// inside returns the whole large pages in b.
func inside(b []byte) []byte {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := -first & (large - 1)
	return b[lo : lo+(uintptr(len(b))-lo)&^(large-1)]
}
