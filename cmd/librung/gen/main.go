package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
)

// The files, relative to the folder of the module.
const (
	header = "cmd/librung/rung.h"
	guards = "cmd/librung/guards.c"
	python = "python/rung/_functions.py"
)

// main writes the guards in C and the declarations for Python from the functions that the header declares.
func main() {
	text, err := os.ReadFile(header)
	if err != nil {
		log.Fatal(err)
	}
	list, err := parse(text)
	if err != nil {
		log.Fatal(err)
	}
	for path, b := range map[string][]byte{guards: guardsOf(list), python: pythonOf(list)} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// function is a function of the header.
type function struct {
	result, name string
	args         []argument
}

// argument is a type with its stars, and a name.
type argument struct{ of, name string }

// byHand are the functions that are written in door.c.
var byHand = map[string]bool{"rung_abi": true, "rung_error": true, "rung_error_details": true, "rung_release": true, "rung_accel_of": true}

var (
	declared = regexp.MustCompile(`(?m)^RUNG_API ([\w ]+?[ *]+)(rung_\w+)\(([^)]*)\);`)
	argOf    = regexp.MustCompile(`^((?:const )?\w+ ?\**)\s*(\w+)$`)
)

// parse returns the functions that a header declares. It returns an error if it does not understand a declaration.
func parse(text []byte) (list []function, err error) {
	for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
		f := function{strings.TrimSpace(m[1]), m[2], nil}
		if m[3] != "void" {
			for _, a := range strings.Split(m[3], ",") {
				parts := argOf.FindStringSubmatch(strings.TrimSpace(a))
				if parts == nil {
					return nil, fmt.Errorf("%s: argument %q is not understood", f.name, a)
				}
				f.args = append(f.args, argument{strings.TrimSpace(parts[1]), parts[2]})
			}
		}
		list = append(list, f)
	}
	if n := bytes.Count(text, []byte("\nRUNG_API ")); n != len(list) {
		return nil, fmt.Errorf("%d functions, of which %d are understood", n, len(list))
	}
	return list, nil
}

// guardsOf returns the text of guards.c.
func guardsOf(list []function) []byte {
	var b bytes.Buffer
	b.WriteString("/* Written by gen from rung.h. */\n#include \"door.h\"\n")
	for _, f := range list {
		if byHand[f.name] {
			continue
		}
		var types, names []string
		for _, a := range f.args {
			types, names = append(types, spaced(a.of)+a.name), append(names, a.name)
		}
		args, inner := strings.Join(types, ", "), "go_"+strings.TrimPrefix(f.name, "rung_")
		if args == "" {
			args = "void"
		}
		fmt.Fprintf(&b, "\n%s%s(%s);\n", spaced(f.result), inner, args)
		guard := "rung_in_child() ? RUNG_FORKED : "
		if f.result != "int32_t" {
			guard = ""
		}
		fmt.Fprintf(&b, "%s%s(%s) { return %s%s(%s); }\n", spaced(f.result), f.name, args, guard, inner, strings.Join(names, ", "))
	}
	return b.Bytes()
}

// spaced returns a type of C with the space that goes before a name, if any.
func spaced(of string) string {
	if strings.HasSuffix(of, "*") {
		return of
	}
	return of + " "
}

// ctypes has the type of Python's ctypes for each type of C. Arrays are addresses, which NumPy gives.
var ctypes = map[string]string{
	"int32_t": "c.c_int32", "int64_t": "c.c_int64", "size_t": "c.c_size_t", "double": "c.c_double", "rung_handle": "c.c_uint64",
	"void":         "None",
	"const char *": "c.c_char_p", "char *": "c.c_void_p", "char **": "c.POINTER(c.c_void_p)", "size_t *": "c.POINTER(c.c_size_t)",
	"rung_handle *": "c.POINTER(c.c_uint64)", "int64_t *": "c.c_void_p", "const int64_t *": "c.c_void_p",
	"double *": "c.c_void_p", "const double *": "c.c_void_p", "uint8_t *": "c.c_void_p",
	"const uint32_t *": "c.c_void_p", "const rung_accel_arguments *": "c.c_void_p",
}

// pythonOf returns the text of _functions.py: the types of the result and the arguments of each function.
func pythonOf(list []function) []byte {
	var b bytes.Buffer
	b.WriteString("\"\"\"The functions of rung.h. Written by cmd/librung/gen.\"\"\"\nimport ctypes as c\n\nFUNCTIONS = {\n")
	for _, f := range list {
		var args []string
		for _, a := range f.args {
			t, ok := ctypes[a.of]
			if !ok {
				log.Fatalf("%s: no type of Python for %q", f.name, a.of)
			}
			args = append(args, t)
		}
		fmt.Fprintf(&b, "    %q: (%s, [%s]),\n", f.name, ctypes[f.result], strings.Join(args, ", "))
	}
	b.WriteString("}\n")
	return b.Bytes()
}
