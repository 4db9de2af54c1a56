// Package draw draws a scene as a picture, PNG, SVG or, of a motion, GIF: parallel light,
// parallel projection, nearer parts in front of farther ones.
//
// A PNG is drawn with a depth buffer. An SVG has the visible parts of the facets of each solid. A GIF has pictures like a
// PNG in few colours, all with one camera.
//
//	s := scene.New(mech, scene.Options{})
//	err := draw.PNG(ctx, file, s, mech.Initial(), draw.View{}) // or draw.SVG
//
// Cost: a PNG takes O(pixels + triangles), an SVG O(facets·k) with k the facets that overlap a facet in the picture. An SVG of more
// than maxPolygons is an error.
package draw
