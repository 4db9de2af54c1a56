//go:build !amd64 || noasm || purego

package lanes

// fast is false where there is no assembly.
var fast = false

// What stands for the assembly is never called.

func pinBallAVX2(v, scale, b *float64, p *byte)                        { panic(noAssembly) }
func pinHingeAVX2(v, scale, b *float64, p *byte)                       { panic(noAssembly) }
func gatherAVX2(dst, src *float64, at *int32, n int)                   { panic(noAssembly) }
func scatterAVX2(dst, src *float64, at *int32, n int)                  { panic(noAssembly) }
func loadAVX2(t, c, down *float64) int                                 { panic(noAssembly) }
func rotateAVX2(t, up *float64)                                        { panic(noAssembly) }
func hingeBiasAVX2(t, c, up *float64)                                  { panic(noAssembly) }
func hingeBiasWorldAVX2(t, c *float64)                                 { panic(noAssembly) }
func turnAVX2(out, R, v *float64)                                      { panic(noAssembly) }
func turnBackAVX2(out, E, v *float64)                                  { panic(noAssembly) }
func particularAVX2(rest, t, c, up *float64)                           { panic(noAssembly) }
func particularWorldAVX2(rest, t, c *float64)                          { panic(noAssembly) }
func ownDirectionAVX2(col, t, c *float64)                              { panic(noAssembly) }
func carriedDirectionAVX2(col, t, c, up *float64)                      { panic(noAssembly) }
func recoverAVX2(out, E, c, x *float64)                                { panic(noAssembly) }
func dotAVX2(sum, a, b *float64)                                       { panic(noAssembly) }
func addAVX2(a, t, b *float64)                                         { panic(noAssembly) }
func subAVX2(a, t, b *float64)                                         { panic(noAssembly) }
func scaleAVX2(a, t *float64)                                          { panic(noAssembly) }
func inverseRootAVX2(s *float64)                                       { panic(noAssembly) }
func productsAVX2(y *float64, step int, v *float64, n int, x *float64) { panic(noAssembly) }
func subProductsAVX2(y, v *float64, n int, x *float64)                 { panic(noAssembly) }
func ballRowsAVX2(t, c *float64)                                       { panic(noAssembly) }
func hingeRowsAVX2(t, c *float64)                                      { panic(noAssembly) }

const noAssembly = "lanes: no assembly"
