package asmt_test

import (
	"fmt"
	"log"
	"os"

	"github.com/rung-mbd/rung/formats/asmt"
	"github.com/rung-mbd/rung/formats/source"
)

// An assembly of FreeCAD: its parts are bodies.
func Example() {
	files := source.NewFiles(os.DirFS("../../reference/import"), nil)
	result, _, err := asmt.Read(files, source.Name{Path: "four-bar.asmt"}, &source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range result.Links {
		fmt.Println(l.Link, "is body", l.Body)
	}
	// Output:
	// left is body left
	// bar is body bar
	// right is body right
}
