// Package browser tests the page of scene/view in Chromium. It is a module of its own, so that users of Rung do not get what drives the browser.
//
//	make browser
package browser
