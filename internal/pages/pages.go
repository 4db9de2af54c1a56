package pages

import "unsafe"

const (
	large = 2 << 20   // bytes of a large page
	least = 2 * large // smallest size in bytes of an array for which large pages are asked for; it contains a whole large page
)

// Make returns make([]T, n). For an array of 4 MB and more it asks the system to use large
// pages inside the array, so a sweep through a factor has fewer misses in the translation cache.
// A system without large pages, or with large pages switched off, ignores the request. The request
// holds for these addresses even after the array has been freed.
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

// inside returns the part of b that consists of whole large pages.
func inside(b []byte) []byte {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := -first & (large - 1)
	return b[lo : lo+(uintptr(len(b))-lo)&^(large-1)]
}
