//go:build check

package lanes

// checking adds the comparison of lengths and sizes to every call.
const checking = true
