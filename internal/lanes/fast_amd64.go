//go:build !noasm && !purego

package lanes

import "golang.org/x/sys/cpu"

// fast reports whether this processor runs the assembly. Tests change it.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA
