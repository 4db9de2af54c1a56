package main

import (
	"compress/gzip"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// files measures the sizes of the files, and the library's demands on the system: thread-local storage and the version of glibc.
func (b *bench) files() error {
	list := map[string]float64{}
	for name, path := range map[string]string{"library": b.library, "wheel": b.wheel, "unit": b.fmu} {
		if err := sizes(list, path, name, ""); err != nil {
			return err
		}
	}
	if err := sizes(list, b.library, "library", "library.gzip"); err != nil {
		return err
	}
	f, err := elf.Open(b.library)
	if err != nil {
		return err
	}
	defer f.Close()
	list["tls"] = 0
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			list["tls"] = float64(p.Memsz)
		}
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return err
	}
	newest := 0
	for i := range symbols {
		n, err := minor(symbols[i].Version)
		if err != nil {
			return fmt.Errorf("%s: %w", symbols[i].Name, err)
		}
		newest = max(newest, n)
	}
	list["glibc"] = float64(newest)
	return b.found.take(list)
}

// sizes adds the size of the file at path, MB, to the list under a name, and its size after gzip under packedName, unless that is
// empty.
func sizes(list map[string]float64, path, name, packedName string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	list[name] = megabytes(info.Size())
	if packedName == "" {
		return nil
	}
	n, err := packed(path)
	list[packedName] = megabytes(n)
	return err
}

// megabytes returns n bytes in MB.
func megabytes(n int64) float64 { return float64(n) / 1e6 }

// packed returns the length of a file after gzip, bytes.
func packed(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var n counter
	z, err := gzip.NewWriterLevel(&n, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(z, f); err != nil {
		return 0, err
	}
	err = z.Close() // writes the rest
	return int64(n), err
}

// counter counts the bytes written to it.
type counter int64

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// minor returns the minor version of glibc in the version of a symbol: 34 for GLIBC_2.34 and GLIBC_2.34.1, and 0 for a symbol of
// another library or without a version.
func minor(version string) (int, error) {
	rest, ok := strings.CutPrefix(version, "GLIBC_")
	if !ok {
		return 0, nil
	}
	major, rest, _ := strings.Cut(rest, ".")
	middle, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(middle)
	if err != nil || major != "2" {
		return 0, fmt.Errorf("version %q", version)
	}
	return n, nil
}
