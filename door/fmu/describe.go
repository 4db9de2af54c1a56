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

// causality is the role of a variable in FMI.
type causality uint8

const (
	independent causality = iota
	input
	parameter
	output
	state // a state of model exchange, its derivative, or an event indicator
)

// attributes returns the attributes of a causality in the description. Parameters are tunable: they may be set while a unit runs.
func (c causality) attributes() string {
	return [...]string{
		`causality="independent" variability="continuous"`,
		`causality="input" variability="continuous"`,
		`causality="parameter" variability="tunable" initial="exact"`,
		`causality="output" variability="continuous" initial="calculated"`,
		`causality="local" variability="continuous" initial="calculated"`,
	}[c]
}

// hasStart reports whether a variable has the attribute start.
func (c causality) hasStart() bool { return c == input || c == parameter }

// variable is a variable of the description. Its index there is its value reference.
type variable struct {
	name, unit string // the unit in the form of columns and knobs
	of         causality
	start      float64
	derivative int    // value reference of the state of which it is the derivative; 0: it is none
	kind       kind   // nothing unless of is state
	about      string // name of the column with which a state begins
}

// kind is the role of a variable for an integrator.
type kind uint8

const (
	nothing    kind = iota
	continuous      // a state
	derivative
	indicator
)

// description is the content of modelDescription.xml.
type description struct {
	name, about, token string
	variables          []variable
	start, stop, step  float64 // of the default experiment, s; 0: no step is given
	tolerance          float64 // relative; 0: the steps are fixed
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

// text returns the document of a version of FMI, 2 or 3. Equal descriptions give equal bytes.
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
		steps := "" // in FMI 2.0 tools call completedIntegratorStep by default
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

// units writes the units of the variables, each once, and returns their names in the document. Units that FMI cannot express are left
// out.
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

// categories writes the categories of messages that the unit sends to the logger of the tool.
func (d *description) categories(b *bytes.Buffer) {
	b.WriteString("  <LogCategories>\n")
	if d.exchange { // only functions of model exchange return the status discard
		b.WriteString("    <Category name=\"logStatusDiscard\"/>\n")
	}
	b.WriteString("    <Category name=\"logStatusError\"/>\n  </LogCategories>\n")
}

// experiment writes the default times, tolerance and step of a tool.
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

// variable writes the variable with the value reference i. In FMI 2.0 its type is an element within it, in FMI 3.0 the name of its
// element. units has the names of units.
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

// structure writes the lists of computed variables. As it gives no dependencies, each depends on all inputs and states.
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

// list writes a line for each variable that is wanted, between open and end; nothing if there is none. Indices count from first.
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

// number returns x in the shortest form that reads back as x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quote returns a text as the value of an XML attribute, with quotation marks.
func quote(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	xml.EscapeText(&b, []byte(s)) // into memory: no error
	b.WriteByte('"')
	return b.String()
}

// legible refuses names that XML cannot hold, or that a reader of XML would change.
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

// breaks are the control characters that XML allows. In an attribute a reader takes them for blanks, so names of variables must not
// have them.
const breaks = "\t\n\r"

// legible refuses characters that XML lacks. Texts of models are valid UTF-8 (model.Write).
func legible(text string) error {
	for _, r := range text {
		if r < ' ' && !strings.ContainsRune(breaks, r) || r == 0xfffe || r == math.MaxUint16 {
			return refuse(door.Input, "the name %s has a character that XML lacks", fault.Name(text))
		}
	}
	return nil
}
