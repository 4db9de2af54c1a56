package pages

import "syscall"

// advise asks for large pages. The request is refused only where the system has none.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
