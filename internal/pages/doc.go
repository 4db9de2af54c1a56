// Package pages allocates large arrays in memory with large pages.
package pages
