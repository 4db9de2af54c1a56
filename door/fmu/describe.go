package fmu

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/fault"
)

// identifier is the name of the library in a unit, without its ending.
const identifier = "rung"

// causality says what a variable is for.
type causality uint8

const (
	independent causality = iota
	input
	parameter
	output
)

// attributes are those of FMI. Parameters may be set while a unit runs; outputs are computed from the others.
func (c causality) attributes() string {
	return [...]string{
		`causality="independent" variability="continuous"`,
		`causality="input" variability="continuous"`,
		`causality="parameter" variability="tunable" initial="exact"`,
		`causality="output" variability="continuous" initial="calculated"`,
	}[c]
}

// hasStart reports whether a variable has a value at the start of the description.
func (c causality) hasStart() bool { return c == input || c == parameter }

// variable is one of the description. Its place is its value reference.
type variable struct {
	name, unit string // the unit as columns and knobs have it
	of         causality
	start      float64
}

// description is what modelDescription.xml says.
type description struct {
	name, about, token string
	variables          []variable
	start, stop, step  float64 // of the default experiment; no step: 0
	tolerance          float64 // 0: the steps are fixed
}

// text returns the document of a version. It is a function of the description.
func (d *description) text(version int) ([]byte, error) {
	for i := range d.variables {
		if err := legible(d.variables[i].name); err != nil {
			return nil, err
		}
	}
	if err := legible(d.name); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	token, state := "guid", "FMUstate"
	if version == 3 {
		token, state = "instantiationToken", "FMUState"
	}
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%d.0\"", version)
	fmt.Fprintf(&b, " modelName=%s %s=%s description=%s\n", quote(d.name), token, quote(d.token), quote(d.about))
	fmt.Fprintf(&b, "  generationTool=%s variableNamingConvention=\"flat\"", quote("Rung "+rung.Version()))
	if version == 2 {
		b.WriteString(` numberOfEventIndicators="0"`)
	}
	fmt.Fprintf(&b, ">\n  <CoSimulation modelIdentifier=%s canHandleVariableCommunicationStepSize=\"true\"\n", quote(identifier))
	fmt.Fprintf(&b, "    canGetAndSet%s=\"true\" canSerialize%s=\"true\"", state, state)
	if version == 2 {
		b.WriteString(` canNotUseMemoryManagementFunctions="true"`)
	}
	b.WriteString("/>\n")
	units := d.units(&b)
	b.WriteString("  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n")
	d.experiment(&b)
	b.WriteString("  <ModelVariables>\n")
	for i := range d.variables {
		d.variable(&b, version, i, units)
	}
	b.WriteString("  </ModelVariables>\n")
	d.structure(&b, version)
	b.WriteString("</fmiModelDescription>\n")
	return b.Bytes(), nil
}

// units writes the units of the variables, each once, and returns their names in the document.
func (d *description) units(b *bytes.Buffer) map[string]string {
	b.WriteString("  <UnitDefinitions>\n")
	names := map[string]string{}
	for i := range d.variables {
		of := d.variables[i].unit
		if _, known := names[of]; known {
			continue
		}
		if name, exponents, ok := parseUnit(of); ok {
			names[of] = name
			fmt.Fprintf(b, "    <Unit name=%s><BaseUnit%s/></Unit>\n", quote(name), exponents.attributes())
		}
	}
	b.WriteString("  </UnitDefinitions>\n")
	return names
}

// experiment writes the times that a tool takes if its user says no others.
func (d *description) experiment(b *bytes.Buffer) {
	fmt.Fprintf(b, "  <DefaultExperiment startTime=\"%s\"", number(d.start))
	for _, a := range [...]struct {
		name string
		x    float64
	}{{"stopTime", d.stop}, {"tolerance", d.tolerance}, {"stepSize", d.step}} {
		if a.x != 0 {
			fmt.Fprintf(b, " %s=\"%s\"", a.name, number(a.x))
		}
	}
	b.WriteString("/>\n")
}

// variable writes that with the reference i. FMI 2.0 has the type as an element in it, FMI 3.0 as its name.
func (d *description) variable(b *bytes.Buffer, version, i int, units map[string]string) {
	v := &d.variables[i]
	typed := ""
	if name, has := units[v.unit]; has {
		typed += " unit=" + quote(name)
	}
	if v.of.hasStart() {
		typed += fmt.Sprintf(" start=\"%s\"", number(v.start))
	}
	if version == 3 {
		fmt.Fprintf(b, "    <Float64 name=%s valueReference=\"%d\" %s%s/>\n", quote(v.name), i, v.of.attributes(), typed)
		return
	}
	fmt.Fprintf(b, "    <ScalarVariable name=%s valueReference=\"%d\" %s>", quote(v.name), i, v.of.attributes())
	fmt.Fprintf(b, "<Real%s/></ScalarVariable>\n", typed)
}

// structure writes which variables are computed. That outputs depend on all inputs is what a list without dependencies says.
func (d *description) structure(b *bytes.Buffer, version int) {
	b.WriteString("  <ModelStructure>\n")
	lists := [...][3]string{
		{"    <Outputs>\n", "      <Unknown index=\"%d\"/>\n", "    </Outputs>\n"},
		{"    <InitialUnknowns>\n", "      <Unknown index=\"%d\"/>\n", "    </InitialUnknowns>\n"},
	}
	first := 1 // indices of FMI 2.0 count from 1
	if version == 3 {
		lists[0] = [3]string{1: "    <Output valueReference=\"%d\"/>\n"}
		lists[1] = [3]string{1: "    <InitialUnknown valueReference=\"%d\"/>\n"}
		first = 0
	}
	for _, l := range lists {
		var rows bytes.Buffer
		for i := range d.variables {
			if d.variables[i].of == output {
				fmt.Fprintf(&rows, l[1], i+first)
			}
		}
		if rows.Len() > 0 {
			b.WriteString(l[0])
			rows.WriteTo(b)
			b.WriteString(l[2])
		}
	}
	b.WriteString("  </ModelStructure>\n")
}

// number returns a number as documents have it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quote returns a text as an attribute.
func quote(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	xml.EscapeText(&b, []byte(s)) // into memory: no error
	b.WriteByte('"')
	return b.String()
}

// legible refuses names that a document of XML cannot have, or has as others: control characters and bytes that are no text.
func legible(name string) error {
	for _, r := range name {
		if r < ' ' || r == utf8.RuneError || r == 0xfffe || r == math.MaxUint16 {
			return refuse(door.Input, "the name %s has a character that XML lacks", fault.Name(name))
		}
	}
	if name == "" {
		return refuse(door.Input, "a name is empty")
	}
	return nil
}
