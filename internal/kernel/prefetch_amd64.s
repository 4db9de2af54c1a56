//go:build !noasm && !purego

#include "textflag.h"

// func prefetchLines(p *float64, step, bytes int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), AX
	MOVQ step+8(FP), DX
	MOVQ bytes+16(FP), CX

line:
	PREFETCHT0 (AX)
	ADDQ DX, AX
	SUBQ $64, CX
	JGT  line
	RET
