// Package browser tests the page of scene/view in a browser. It is a module
// of its own, so that users do not get the library that drives the browser.
//
//	make browser
package browser
