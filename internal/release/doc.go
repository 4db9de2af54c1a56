// Command release makes the files of a release from a commit: the command for five platforms, the shared library and Python's package for
// those for which there is a compiler, packages for Debian, the page with WebAssembly, lists of what is in each, and their digests.
//
//	go run ./internal/release -version 0.1.0 -out out/release
//	go run ./internal/release -version 0.1.0 -check # twice, in two folders; the bytes have to be equal
//
// It builds in a clone of the commit that has the tag of the version: so programs tell their version by what Go notes in them, as those of
// go install do, and nothing that is in no commit gets into a release. What cannot be built on this machine, and what keeps the
// files from being published, is listed at the end; with -strict either is an error. Libraries for other systems come from there
// by -libraries.
//
// All times are that of the commit or SOURCE_DATE_EPOCH, owners are root, and files are in order. A program with a module of which NOTICE
// has no licence, or that the bill of materials leaves out, ends the release, and so does an archive without LICENSE and NOTICE.
package main
