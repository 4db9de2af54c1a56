// Package sitetest tests the site that make site has made: every link, the structure of every page, colours, search, and
// the look of pages in a browser.
//
//	make site-check
package sitetest
