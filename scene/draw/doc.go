// Package draw draws a scene as a PNG or SVG picture: parallel light,
// parallel projection, nearer parts in front of farther ones.
//
// A PNG has a depth at each pixel. An SVG has, of the facets of each solid, the parts that no other hides.
package draw
