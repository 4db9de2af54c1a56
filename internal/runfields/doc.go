// Package runfields is what documents say about a run, by itself or those of a study: the fields, how they are read, and the
// rules that show without more. It knows names of methods only as its callers give them.
package runfields
