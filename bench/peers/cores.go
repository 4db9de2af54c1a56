package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
)

// coreTypes are the kernels of OpenBLAS for current processors, each with the flags of /proc/cpuinfo that it needs.
var coreTypes = []struct{ name, flags string }{
	{"Sandybridge", "avx"},
	{"Haswell", "avx2 fma"},
	{"Zen", "avx2 fma"},
	{"SkylakeX", "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl"},
	{"Cooperlake", "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl avx512_bf16"},
	{"SapphireRapids", "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl avx512_bf16 amx_tile amx_bf16"},
}

// cores returns the kernels of OpenBLAS that this processor can run; the first one, "", is OpenBLAS's own choice. OpenBLAS recognizes
// processors by family and model, and for an unknown one may choose kernels that are far too old.
func cores() []string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return []string{""}
	}
	for line := range bytes.Lines(info) {
		if flags, ok := bytes.CutPrefix(line, []byte("flags")); ok {
			return coresFor(strings.Fields(string(flags)))
		}
	}
	return []string{""} // not x86
}

// coresFor returns the kernels for a processor with the flags; Sandybridge only for a processor without AVX2.
func coresFor(flags []string) []string {
	list := []string{""}
	for _, c := range coreTypes {
		has := !slices.ContainsFunc(strings.Fields(c.flags), func(f string) bool { return !slices.Contains(flags, f) })
		if has && (c.name != "Sandybridge" || !slices.Contains(flags, "avx2")) {
			list = append(list, c.name)
		}
	}
	return list
}
