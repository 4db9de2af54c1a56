// Package mesh reads triangle meshes, in STL, OBJ and a part
// of COLLADA, and computes the mass properties of the solids that they enclose.
//
//	m, err := mesh.Read("link.stl", data)
//	solid, err := m.Solid() // of density 1
//	fmt.Println(m.Gap() < 1e-9, solid.Mass, solid.Com)
//
// Cost: linear in the bytes of the file. Errors name the position in the file; [ErrFlat] and [ErrInside] tell why a mesh has no
// mass properties.
//
// Lengths are in the unit of the file, for COLLADA in metres; coordinates are in its frame.
package mesh
