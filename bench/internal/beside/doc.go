// Package beside has the common parts of the programs that compare Rung with other engines (peers) and publish the results: the
// machine of a measurement, calls of the peers' programs, models as text for them, records of results, and pages with tables
// between two lines.
package beside
