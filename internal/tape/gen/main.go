package main

import (
	"log"
	"os"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

func main() {
	list := lines.Kernels()
	for name, text := range map[string]string{"codes.go": goFile(list), "kernels_amd64.s": asmFile(list)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
