// Package mesh reads surfaces made of triangles, in STL, OBJ and a part
// of COLLADA, and computes the mass properties of what they enclose.
//
//	m, err := mesh.Read("link.stl", data)
//	solid, err := m.Solid() // of density 1
//	fmt.Println(m.Gap() < 1e-9, solid.Mass, solid.Com)
//
// Cost: linear in the bytes of the file. Errors name the place in the file; [ErrFlat] and [ErrInside] are meshes without
// mass properties.
//
// Lengths are those of the file; coordinates are in its frame.
package mesh
