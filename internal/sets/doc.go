// Package sets keeps disjoint sets of numbers that grow together.
package sets
