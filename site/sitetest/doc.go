// Package sitetest tests the site that make site has made: every link, the structure of every page, colours, search, and
// how pages look in a browser.
//
//	make site-check
package sitetest
