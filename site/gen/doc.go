// Command gen writes the input of Hugo for the site: the pages of docs with their titles and places, and pages with other
// sources: the command, the schemas, Python's package, rung.h, the gallery and the records of measurements. When
// Hugo has made the site, it writes the index for search, and links the playground to the first page.
//
//	go run ./gen -rung PROGRAM -root .. -o FOLDER     # before Hugo: FOLDER/content, FOLDER/static, FOLDER/data
//	go run ./gen -finish FOLDER                       # after it: FOLDER/search-index.js
//
// It is in a module of its own, so that users do not get the libraries that make the site.
package main
