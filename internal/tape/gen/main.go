package main

import (
	"log"
	"os"
)

func main() {
	list := kernels()
	for name, text := range map[string]string{"kernels.go": goFile(list), "kernels_amd64.s": asmFile(list)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
