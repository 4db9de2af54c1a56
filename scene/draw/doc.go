// Package draw draws a scene as a picture, PNG, SVG or, of a motion, GIF: parallel light,
// parallel projection, nearer parts in front of farther ones.
//
// A PNG has a depth at each pixel. An SVG has, of the facets of each solid, the parts that no other hides. A GIF has the
// pictures of a PNG in few colours, all from one place.
//
//	s := scene.New(mech, scene.Options{})
//	err := draw.PNG(ctx, file, s, mech.Initial(), draw.View{}) // or draw.SVG
//
// Cost: a PNG takes O(pixels + triangles), an SVG the facets times those that overlap each. An SVG of more than [maxPolygons] is an
// error.
package draw
