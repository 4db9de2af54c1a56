package main

import (
	"flag"
	"go/format"
	"log"
	"os"
	"strings"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// main writes the generated files of a package into the current folder.
func main() {
	log.SetFlags(0)
	set := flag.String("set", "tape", "the package: tape or lanes")
	flag.Parse()
	files, ok := map[string]func() map[string]string{"tape": tapeFiles, "lanes": lanesFiles}[*set]
	if !ok {
		log.Fatal("no package " + *set)
	}
	for name, text := range files() {
		if strings.HasSuffix(name, ".go") {
			out, err := format.Source([]byte(text))
			if err != nil {
				log.Fatal(err)
			}
			text = string(out)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// tapeFiles returns the texts of the generated files of package tape, by name.
func tapeFiles() map[string]string {
	list := lines.Kernels()
	return map[string]string{"codes.go": goFile(list), "kernels_amd64.s": asmFile(list)}
}

// lanesFiles returns the texts of the generated files of package lanes, by name.
func lanesFiles() map[string]string {
	list := lines.Functions()
	return map[string]string{
		"kernels_amd64.go": declarations(list, true), "kernels_other.go": declarations(list, false),
		"kernels_amd64.s": functionsFile(list), "structures.go": structuresFile(),
	}
}
