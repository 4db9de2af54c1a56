// Command gen writes what Hugo makes the site of: the pages of docs with their titles and places, and pages of what has
// another source, the command, the schemas, Python's package, rung.h, the gallery and the records of measurements. When
// Hugo has made the site, it writes the index for search.
//
//	go run ./gen -rung PROGRAM -root .. -o FOLDER     # before Hugo: FOLDER/content, FOLDER/static, FOLDER/data
//	go run ./gen -search FOLDER                       # after it: FOLDER/search-index.js
//
// It is in a module of its own, so that users do not get what makes the site.
package main
