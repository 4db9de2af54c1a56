// Package scene turns a mechanism into solids that can be drawn: a rod or a block for each body, a mark for each joint,
// wheels, springs, the ground. A program that draws them needs a [Scene], which never changes, and a mechanism.State with
// the poses of the bodies.
//
// Nothing here acts on the motion. Sizes that the model does not give are chosen so that a picture reads well: a body
// between two joints is a rod, one with three or more is a frame between them, and one with none or one is the uniform
// block of the same mass and inertia.
//
// Frame: of the body of each shape, or world axes for shapes of the world. Units: m.
//
//	s := scene.New(m, scene.Options{})
//	for i := range s.Shapes {
//		at := s.Shapes[i].Place(state)
//		fmt.Println(s.Shapes[i].Kind, at.Origin)
//	}
package scene
