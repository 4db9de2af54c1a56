//go:build !noasm && !purego

#include "textflag.h"

// func prefetchLines(p *float64, bytes int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), CX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $64, CX
	JGT  line
	RET

// func prefetchLinesDown(p *float64, bytes int)
TEXT ·prefetchLinesDown(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), CX

line:
	PREFETCHT0 (AX)
	SUBQ $64, AX
	SUBQ $64, CX
	JGT  line
	RET
