// Package arch tests the repository against its own pages. The imports of packages and
// files are compared with the table of docs/architecture.md. Names in pages and in
// comments have to exist. The equations of docs/theory.md and the keys of
// docs/references.md that comments cite have to exist too. The worked numbers of
// docs/theory.md are computed again. The package has only tests.
//
// Sources are parsed file by file, whatever their build constraints, so that
// a file behind a tag or for another machine is held to the same rules.
package arch
