// Package pages allocates large arrays in memory of large pages.
package pages
