// Package draw draws a scene as a PNG or SVG picture: parallel light, parallel projection, nearer parts in front of farther ones.
//
// A PNG has a depth at each pixel. An SVG has polygons in an order, from the farthest to the nearest; where two go through each other they are cut
// (a binary space partition).
package draw
