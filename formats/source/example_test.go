package source_test

import (
	"fmt"
	"io/fs"
	"log"
	"testing/fstest"

	"github.com/rung-mbd/rung/formats/source"
)

// A model names files of its folder and of packages. It cannot leave either.
func Example() {
	files := source.NewFiles(
		fstest.MapFS{"arm.urdf": {Data: []byte("<robot/>")}}, // or os.DirFS
		map[string]fs.FS{"shapes": fstest.MapFS{"link.stl": {Data: []byte("solid")}}},
	)
	name, err := files.Resolve(source.Name{}, "package://shapes/link.stl")
	if err != nil {
		log.Fatal(err)
	}
	data, err := files.Read(name)
	fmt.Println(name, string(data), err)
	_, err = files.Resolve(source.Name{}, "../secret")
	fmt.Println(err)
	// Output:
	// package://shapes/link.stl solid <nil>
	// formats/source: the path leaves the folder that may be read: "../secret"
}
