// Package picture draws lines over time or over the size of a mechanism, and terrains, as SVG or PNG.
package picture
