package tables_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/tables"
)

// A model is written as tables, and a hundred of its bodies are read back with their neighbours.
func Example() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m, err := bench.Ladder(1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "ladder.tables")
	if err := tables.Write(path, m); err != nil {
		log.Fatal(err)
	}
	f, err := tables.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(f.Size())
	part, bodies, _, err := f.Part(500, 600)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(part.Bodies), "bodies, the first is number", bodies[0])
	// Output:
	// 1000 1500
	// 104 bodies, the first is number 498
}
