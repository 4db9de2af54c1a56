//go:build !noasm && !purego

package lanes

import "golang.org/x/sys/cpu"

// fast reports whether this processor can run the assembly, and wide whether it has AVX-512. Tests change both.
var (
	fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
)
