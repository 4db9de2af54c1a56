// Package arch tests the repository against its own pages: what packages and
// files import against the table of docs/architecture.md, the functions named in
// docs/theory.md and the other pages against the code, and the keys cited in
// comments against docs/references.md. It has no code of its own.
//
// Sources are parsed file by file, whatever their build constraints, so that
// a file behind a tag or for another machine is held to the same rules.
package arch
