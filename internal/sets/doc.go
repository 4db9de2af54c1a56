// Package sets has disjoint sets of numbers, which can be united.
package sets
