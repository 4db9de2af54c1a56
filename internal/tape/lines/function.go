package lines

import (
	"fmt"
	"strings"
)

// Function is a kernel that Go calls by itself, not from a tape: one of package lanes.
type Function struct {
	*Kernel
	Params []Param
}

// Param is a parameter of a function. Pointers are operands, 'A' the first of them: to lanes or structures of lanes, or to
// numbers that are one for all lanes. The other parameters are the numbers of turns, 'N', and of lanes from one row to the next, 'F'.
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

// newFunction returns a function without lines.
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
			if strings.HasSuffix(p.Type, "float64") {
				f.Shared += string(p.Operand)
			}
		default:
			panic(fmt.Sprintf("lines: parameter %q of %s", text, name))
		}
		f.Params = append(f.Params, p)
	}
	return f
}

// at returns the place of a parameter, such as out, or of the field of a structure, such as t.Load.
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

// three loads a vector.
func (f *Function) three(name string) []Val { return f.vec(f.at(name), 3) }

// Structure is one of Go whose fields are lanes, in the order of memory.
type Structure struct {
	Name, Doc string
	Fields    []Field
}

// Field is so many lanes.
type Field struct {
	Name  string
	Lanes int
	Doc   string
}

// offset returns how many lanes are before a field.
func (s *Structure) offset(field string) (n int) {
	for _, f := range s.Fields {
		if f.Name == field {
			return n
		}
		n += f.Lanes
	}
	panic("lines: no field " + field + " of " + s.Name)
}

// structureOf returns the structure of a name.
func structureOf(name string) *Structure {
	list := Structures()
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	panic("lines: no structure " + name)
}
