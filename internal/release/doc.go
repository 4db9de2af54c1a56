// Command release makes the files of a release from a commit: the command for five platforms, the shared library and Python's package for
// those platforms for which there is a compiler, packages for Debian, the page with WebAssembly, bills of materials, and digests.
//
//	go run ./internal/release -version 0.1.0 -out out/release
//	go run ./internal/release -version 0.1.0 -check # twice, in two folders; the bytes have to be equal
//
// It builds in a clone of the commit that has the tag of the version. So programs know their version from the notes of Go in them, as after
// go install, and nothing that is in no commit gets into a release. Files that cannot be built on this machine, and reasons not to publish
// the release, are listed at the end; with -strict they are an error. Libraries for other systems are built there, and added by
// -libraries.
//
// All times are the time of the commit or SOURCE_DATE_EPOCH, owners are root, and files are sorted. The release fails if a program has a
// module whose licence NOTICE lacks, or that its bill of materials leaves out, and if an archive lacks LICENSE or NOTICE.
package main
