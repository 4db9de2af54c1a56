// Package plantest makes models, plans and solutions for the tests of the packages that solve them.
package plantest
