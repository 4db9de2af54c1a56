package lines

import (
	"fmt"
	"slices"
	"strings"
)

// Function is a kernel that Go code calls directly, not from a tape: a function of package lanes.
type Function struct {
	*Kernel
	Params []Param
}

// Param is a parameter of a function. Pointers are operands, from 'A' on. They point to vectors, to structures of vectors, or to
// numbers or structures of numbers that all lanes share. The other parameters are the number of turns of the loop, 'N', and the number
// of vectors from one row to the next, 'F'.
type Param struct {
	Name, Type string
	Operand    byte
}

// Signature returns the parameters in Go.
func (f *Function) Signature() string {
	var list []string
	for _, p := range f.Params {
		list = append(list, p.Name+" "+p.Type)
	}
	return strings.Join(list, ", ")
}

// newFunction returns a function with this signature and without lines.
func newFunction(name, signature, doc string) *Function {
	f := &Function{Kernel: newKernel(name, doc)}
	operand := byte('A')
	list := strings.Split(signature, ", ")
	for i, text := range list {
		p := Param{}
		p.Name, p.Type, _ = strings.Cut(text, " ")
		for j := i; p.Type == ""; j++ {
			_, p.Type, _ = strings.Cut(list[j], " ")
		}
		switch {
		case text == "n int":
			p.Operand = 'N'
		case text == "step int":
			p.Operand = 'F'
		case strings.HasPrefix(p.Type, "*"):
			p.Operand = operand
			operand++
			if strings.HasSuffix(p.Type, "float64") || isShared(p.Type[1:]) {
				f.Shared += string(p.Operand)
			}
		default:
			panic(fmt.Sprintf("lines: parameter %q of %s", text, name))
		}
		f.Params = append(f.Params, p)
	}
	return f
}

// at returns the place of a parameter, such as out, or of a field of a parameter, such as t.Load.
func (f *Function) at(name string) Mem {
	name, field, inside := strings.Cut(name, ".")
	for _, p := range f.Params {
		if p.Name != name {
			continue
		}
		if !inside {
			return at(p.Operand, 0)
		}
		return at(p.Operand, structureOf(p.Type[1:]).offset(field))
	}
	panic("lines: no parameter " + name + " of " + f.Name)
}

// three loads the three components of a vector.
func (f *Function) three(name string) []Val { return f.vec(f.at(name), 3) }

// Structure describes a Go structure whose fields are vectors, or numbers that all lanes share, in the order of memory.
type Structure struct {
	Name, Doc string
	Fields    []Field
	Shared    bool // its fields are numbers
}

// Field is a field of a Structure.
type Field struct {
	Name  string
	Lanes int // number of vectors, or of shared numbers
	Doc   string
}

// isShared reports whether a type is a structure of shared numbers.
func isShared(name string) bool {
	return slices.ContainsFunc(Structures(), func(s Structure) bool { return s.Name == name && s.Shared })
}

// offset returns the number of vectors, or of shared numbers, before a field.
func (s *Structure) offset(field string) (n int) {
	for _, f := range s.Fields {
		if f.Name == field {
			return n
		}
		n += f.Lanes
	}
	panic("lines: no field " + field + " of " + s.Name)
}

// structureOf returns the structure with this name.
func structureOf(name string) *Structure {
	list := Structures()
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	panic("lines: no structure " + name)
}
