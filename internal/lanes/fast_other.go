//go:build !amd64 || noasm || purego

package lanes

// fast and wide are false without assembly.
var fast, wide = false, false

// The functions that replace the assembly are never called.

func pinBallAVX2(v, scale, b *float64, p *byte)  { panic(noAssembly) }
func pinHingeAVX2(v, scale, b *float64, p *byte) { panic(noAssembly) }

// noAssembly is the panic of the functions that replace the assembly.
const noAssembly = "lanes: no assembly"
