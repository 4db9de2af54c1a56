package table_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/study/table"
)

// Two parts that end in any order become one table.
func Example() {
	dir, err := os.MkdirTemp("", "table")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "runs.parquet")
	columns := []table.Column{{Name: "run", Kind: table.Int}, {Name: "height", Kind: table.Float}}
	t, err := table.New(path, "example/1", "what the rows depend on", columns)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Release()
	for _, part := range []int{1, 0} { // by any goroutines
		rows := [][]table.Cell{{{Int: int64(part)}, {Float: 0.5 * float64(part)}}}
		if err := t.Write(part, rows); err != nil {
			log.Fatal(err)
		}
	}
	if err := t.Join(2, func() {}); err != nil {
		log.Fatal(err)
	}
	err = table.Read(path, "example/1", columns, func(cells []table.Cell) error {
		fmt.Println(cells[0].Int, cells[1].Float)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 0
	// 1 0.5
}
