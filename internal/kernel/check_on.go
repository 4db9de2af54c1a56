//go:build check

package kernel

// checking adds the comparison of lengths and sizes to every call.
const checking = true
