//go:build !amd64 || noasm || purego

package lanes

// fast is false where there is no assembly, and so is wide.
var fast, wide = false, false

// What stands for the assembly is never called.

func pinBallAVX2(v, scale, b *float64, p *byte)  { panic(noAssembly) }
func pinHingeAVX2(v, scale, b *float64, p *byte) { panic(noAssembly) }

const noAssembly = "lanes: no assembly"
