// Package arch tests the repository against its own pages. What packages and files
// import is compared with the table of docs/architecture.md. Names in pages and in
// comments have to exist, and so have the equations of docs/theory.md and the keys of
// docs/references.md that comments cite. The worked numbers of docs/theory.md are
// computed again. It has no code of its own.
//
// Sources are parsed file by file, whatever their build constraints, so that
// a file behind a tag or for another machine is held to the same rules.
package arch
