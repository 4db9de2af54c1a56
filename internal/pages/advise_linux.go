package pages

import "syscall"

// advise asks for large pages in b. It ignores an error, which a system without large pages returns.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
