package fmu

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

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
	state // and what follows from it
)

// attributes returns the attributes of FMI for a causality. Parameters may be set while a unit runs; outputs are computed from the others.
func (c causality) attributes() string {
	return [...]string{
		`causality="independent" variability="continuous"`,
		`causality="input" variability="continuous"`,
		`causality="parameter" variability="tunable" initial="exact"`,
		`causality="output" variability="continuous" initial="calculated"`,
		`causality="local" variability="continuous" initial="calculated"`,
	}[c]
}

// hasStart reports whether a variable has a value at the start of the description.
func (c causality) hasStart() bool { return c == input || c == parameter }

// variable is one of the description. Its place is its value reference.
type variable struct {
	name, unit string // the unit as columns and knobs have it
	of         causality
	start      float64
	derivative int    // place of the state of which it is the derivative; 0: of none
	kind       kind   // of a state and what follows
	about      string // the column that a state is at the start
}

// kind says what a variable is to an integrator.
type kind uint8

const (
	nothing    kind = iota
	continuous      // a state
	derivative
	indicator
)

// description is what modelDescription.xml says.
type description struct {
	name, about, token string
	variables          []variable
	start, stop, step  float64 // of the default experiment; no step: 0
	tolerance          float64 // 0: the steps are fixed
	exchange           bool    // there is model exchange
}

// count returns the number of variables of a kind.
func (d *description) count(of kind) (n int) {
	for i := range d.variables {
		if d.variables[i].kind == of {
			n++
		}
	}
	return n
}

// text returns the document of a version. It is a function of the description.
func (d *description) text(version int) ([]byte, error) {
	if err := d.legible(); err != nil {
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
		fmt.Fprintf(&b, ` numberOfEventIndicators="%d"`, d.count(indicator))
	}
	b.WriteString(">\n")
	saves := fmt.Sprintf("\n    canGetAndSet%s=\"true\" canSerialize%s=\"true\"", state, state)
	if version == 2 {
		saves += ` canNotUseMemoryManagementFunctions="true"`
	}
	if d.exchange {
		steps := "" // FMI 2.0 calls that it is told of each step unless one says not
		if version == 3 {
			steps = ` needsCompletedIntegratorStep="true"`
		}
		fmt.Fprintf(&b, "  <ModelExchange modelIdentifier=%s%s%s/>\n", quote(identifier), steps, saves)
	}
	fmt.Fprintf(&b, "  <CoSimulation modelIdentifier=%s canHandleVariableCommunicationStepSize=\"true\"%s/>\n", quote(identifier), saves)
	units := d.units(&b)
	d.categories(&b)
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

// categories writes those under which the unit tells the logger of the tool what went wrong.
func (d *description) categories(b *bytes.Buffer) {
	b.WriteString("  <LogCategories>\n")
	if d.exchange { // the only kind whose functions discard
		b.WriteString("    <Category name=\"logStatusDiscard\"/>\n")
	}
	b.WriteString("    <Category name=\"logStatusError\"/>\n  </LogCategories>\n")
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

// variable writes the variable with the value reference i. FMI 2.0 has the type as an element in it, FMI 3.0 as its name.
func (d *description) variable(b *bytes.Buffer, version, i int, units map[string]string) {
	v := &d.variables[i]
	typed := ""
	if name, has := units[v.unit]; has {
		typed += " unit=" + quote(name)
	}
	if v.of.hasStart() {
		typed += fmt.Sprintf(" start=\"%s\"", number(v.start))
	}
	if v.derivative > 0 {
		typed += fmt.Sprintf(" derivative=\"%d\"", v.derivative+3-version) // indices of FMI 2.0 count from 1
	}
	if v.kind == continuous {
		typed += ` reinit="true"`
	}
	about := ""
	if v.about != "" {
		about = " description=" + quote(v.about+" at the start; a coordinate that is better takes its place at an event")
	}
	if version == 3 {
		fmt.Fprintf(b, "    <Float64 name=%s valueReference=\"%d\"%s %s%s/>\n", quote(v.name), i, about, v.of.attributes(), typed)
		return
	}
	fmt.Fprintf(b, "    <ScalarVariable name=%s valueReference=\"%d\"%s %s>", quote(v.name), i, about, v.of.attributes())
	fmt.Fprintf(b, "<Real%s/></ScalarVariable>\n", typed)
}

// structure writes which variables are computed. That they depend on all inputs and states is what a list without dependencies says.
func (d *description) structure(b *bytes.Buffer, version int) {
	b.WriteString("  <ModelStructure>\n")
	outputs := func(v *variable) bool { return v.of == output }
	derivatives := func(v *variable) bool { return v.kind == derivative }
	initial := func(v *variable) bool { return v.of == output || v.kind == continuous || v.kind == derivative }
	if version == 2 {
		d.list(b, "    <Outputs>\n", "      <Unknown index=\"%d\"/>\n", "    </Outputs>\n", 1, outputs)
		d.list(b, "    <Derivatives>\n", "      <Unknown index=\"%d\"/>\n", "    </Derivatives>\n", 1, derivatives)
		d.list(b, "    <InitialUnknowns>\n", "      <Unknown index=\"%d\"/>\n", "    </InitialUnknowns>\n", 1, initial)
	} else {
		d.list(b, "", "    <Output valueReference=\"%d\"/>\n", "", 0, outputs)
		d.list(b, "", "    <ContinuousStateDerivative valueReference=\"%d\"/>\n", "", 0, derivatives)
		d.list(b, "", "    <InitialUnknown valueReference=\"%d\"/>\n", "", 0, initial)
		d.list(b, "", "    <EventIndicator valueReference=\"%d\"/>\n", "", 0, func(v *variable) bool { return v.kind == indicator })
	}
	b.WriteString("  </ModelStructure>\n")
}

// list writes a line for each variable that is wanted, between two lines; nothing if there is none. Places count from first.
func (d *description) list(b *bytes.Buffer, open, line, end string, first int, wanted func(*variable) bool) {
	var rows bytes.Buffer
	for i := range d.variables {
		if wanted(&d.variables[i]) {
			fmt.Fprintf(&rows, line, i+first)
		}
	}
	if rows.Len() > 0 {
		b.WriteString(open)
		rows.WriteTo(b)
		b.WriteString(end)
	}
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

// legible refuses names that the document cannot have, or has as others.
func (d *description) legible() error {
	for i := range d.variables {
		v := &d.variables[i]
		if err := legible(v.name); err != nil {
			return err
		}
		if strings.ContainsAny(v.name, breaks) {
			return refuse(door.Input, "the name %s has a tab or a break of lines, which names of variables in FMI lack", fault.Name(v.name))
		}
		if err := legible(v.about); err != nil {
			return err
		}
	}
	return legible(d.name)
}

// breaks are the control characters that XML has. Names of variables cannot have them: a reader takes them for blanks.
const breaks = "\t\n\r"

// legible refuses characters that XML lacks. Models have no bytes that are no text (model.Write).
func legible(text string) error {
	for _, r := range text {
		if r < ' ' && !strings.ContainsRune(breaks, r) || r == 0xfffe || r == math.MaxUint16 {
			return refuse(door.Input, "the name %s has a character that XML lacks", fault.Name(text))
		}
	}
	return nil
}
