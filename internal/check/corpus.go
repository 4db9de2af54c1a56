package check

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"reflect"
	"strconv"
)

// corpusHead is the first line of a file of testdata/fuzz. Each further line is one argument, written as a conversion in Go.
const corpusHead = "go test fuzz v1\n"

// encode returns the arguments of an input as the text of a file of testdata/fuzz.
func encode(args []reflect.Value) []byte {
	b := bytes.NewBufferString(corpusHead)
	for _, a := range args {
		switch v := a.Interface().(type) {
		case []byte:
			fmt.Fprintf(b, "[]byte(%q)\n", v)
		case string:
			fmt.Fprintf(b, "string(%q)\n", v)
		default:
			fmt.Fprintf(b, "%T(%v)\n", v, v)
		}
	}
	return b.Bytes()
}

// decode returns the arguments in the text of a file of testdata/fuzz. Their types are those that mutate accepts.
func decode(data []byte) ([]any, error) {
	rest, ok := bytes.CutPrefix(data, []byte(corpusHead))
	if !ok {
		return nil, fmt.Errorf("check: no input of a fuzz target")
	}
	var args []any
	for line := range bytes.Lines(bytes.TrimSpace(rest)) {
		a, err := decodeArgument(string(bytes.TrimSpace(line)))
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	return args, nil
}

// decodeArgument returns the value of a line of a corpus file, such as int(3) or []byte("a").
func decodeArgument(line string) (any, error) {
	unknown := fmt.Errorf("check: argument %s is of no type that a walk has", line)
	e, err := parser.ParseExpr(line)
	if err != nil {
		return nil, err
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, unknown
	}
	if a, ok := call.Fun.(*ast.ArrayType); ok && a.Len == nil {
		text, err := strconv.Unquote(line[call.Args[0].Pos()-1 : call.Args[0].End()-1])
		return []byte(text), err
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok {
		return nil, unknown
	}
	text := line[call.Args[0].Pos()-1 : call.Args[0].End()-1]
	switch name.Name {
	case "string":
		return strconv.Unquote(text)
	case "bool":
		return strconv.ParseBool(text)
	case "float64":
		return strconv.ParseFloat(text, 64)
	case "byte", "uint8":
		if n, err := strconv.ParseUint(text, 0, 8); err == nil {
			return uint8(n), nil
		}
		c, _, _, err := strconv.UnquoteChar(text[1:], '\'')
		return uint8(c), err
	}
	return nil, unknown
}
