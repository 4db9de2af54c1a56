package fmu_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/door/fmu"
	"github.com/rung-mbd/rung/model"
)

// node is an element of a document.
type node struct {
	name string
	with map[string]string
	in   []*node
}

// tree reads a document.
func tree(t *testing.T, text []byte) *node {
	t.Helper()
	d, top := xml.NewDecoder(bytes.NewReader(text)), &node{}
	open := []*node{top}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			n := &node{name: e.Name.Local, with: map[string]string{}}
			for _, a := range e.Attr {
				require.NotContains(t, n.with, a.Name.Local)
				n.with[a.Name.Local] = a.Value
			}
			last := open[len(open)-1]
			last.in = append(last.in, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	require.Len(t, top.in, 1)
	return top.in[0]
}

// grammar are the attributes that the schemas of the standard have for elements: required ones have a "!".
var grammar = map[int]map[string]string{
	2: {
		"fmiModelDescription": "fmiVersion! modelName! guid! description author version copyright license generationTool generationDateAndTime " +
			"variableNamingConvention numberOfEventIndicators",
		"ModelExchange": "modelIdentifier! needsExecutionTool completedIntegratorStepNotNeeded canBeInstantiatedOnlyOncePerProcess " +
			"canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate providesDirectionalDerivative",
		"CoSimulation": "modelIdentifier! needsExecutionTool canHandleVariableCommunicationStepSize canInterpolateInputs maxOutputDerivativeOrder " +
			"canRunAsynchronuously canBeInstantiatedOnlyOncePerProcess canNotUseMemoryManagementFunctions canGetAndSetFMUstate " +
			"canSerializeFMUstate providesDirectionalDerivative",
		"UnitDefinitions": "", "Unit": "name!", "BaseUnit": "kg m s A K mol cd rad factor offset", "LogCategories": "",
		"Category": "name! description", "DefaultExperiment": "startTime stopTime tolerance stepSize", "ModelVariables": "",
		"ScalarVariable": "name! valueReference! description causality variability initial canHandleMultipleSetPerTimeInstant",
		"Real":           "declaredType quantity unit displayUnit relativeQuantity min max nominal unbounded start derivative reinit",
		"ModelStructure": "", "Outputs": "", "Derivatives": "", "InitialUnknowns": "", "Unknown": "index! dependencies dependenciesKind",
	},
	3: {
		"fmiModelDescription": "fmiVersion! modelName! instantiationToken! description author version copyright license generationTool " +
			"generationDateAndTime variableNamingConvention",
		"ModelExchange": "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState canSerializeFMUState " +
			"providesDirectionalDerivatives providesAdjointDerivatives providesPerElementDependencies needsCompletedIntegratorStep " +
			"providesEvaluateDiscreteStates",
		"CoSimulation": "modelIdentifier! needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState canSerializeFMUState " +
			"providesDirectionalDerivatives providesAdjointDerivatives providesPerElementDependencies canHandleVariableCommunicationStepSize " +
			"fixedInternalStepSize maxOutputDerivativeOrder recommendedIntermediateInputSmoothness providesIntermediateUpdate " +
			"mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate hasEventMode providesEvaluateDiscreteStates",
		"UnitDefinitions": "", "Unit": "name!", "BaseUnit": "kg m s A K mol cd rad factor offset", "LogCategories": "",
		"Category": "name! description", "DefaultExperiment": "startTime stopTime tolerance stepSize", "ModelVariables": "",
		"Float64": "name! valueReference! description causality variability canHandleMultipleSetPerTimeInstant clocks intermediateUpdate " +
			"previous declaredType initial quantity unit displayUnit relativeQuantity unbounded min max nominal start derivative reinit",
		"ModelStructure": "", "Output": unknown3, "ContinuousStateDerivative": unknown3, "InitialUnknown": unknown3, "EventIndicator": unknown3,
	},
}

const unknown3 = "valueReference! dependencies dependenciesKind"

// order is that of the elements in others.
var order = map[string][]string{
	"fmiModelDescription": {
		"ModelExchange", "CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure",
	},
	"ModelStructure": {
		"Outputs", "Derivatives", "Output", "ContinuousStateDerivative", "InitialUnknowns", "InitialUnknown", "EventIndicator",
	},
	"UnitDefinitions": {"Unit"}, "Unit": {"BaseUnit"}, "LogCategories": {"Category"}, "ModelVariables": {"ScalarVariable", "Float64"},
	"ScalarVariable": {"Real"}, "Outputs": {"Unknown"}, "Derivatives": {"Unknown"}, "InitialUnknowns": {"Unknown"},
}

// lists are the elements that have at least one other in them.
const lists = " UnitDefinitions LogCategories ModelVariables ScalarVariable Outputs Derivatives InitialUnknowns "

// repeated are the elements that may stand in another one more than once.
const repeated = " Unit Category ScalarVariable Float64 Unknown Output ContinuousStateDerivative InitialUnknown EventIndicator "

// patterns are those of the values of attributes, by their types in the schemas. Texts have none, and truths are recognized by their names.
var patterns = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for names, pattern := range map[string]string{
		"valueReference index derivative numberOfEventIndicators maxOutputDerivativeOrder": `\d+`, "kg m s A K mol cd rad": `-?\d+`,
		"startTime stopTime tolerance stepSize start min max nominal factor offset": `-?\d+(\.\d+)?(e[-+]\d+)?`,
		"reinit unbounded relativeQuantity completedIntegratorStepNotNeeded":        "true|false",
		"variableNamingConvention": "flat|structured", "modelIdentifier": `[A-Za-z_]\w*`, "modelName guid instantiationToken": "(?s).+",
	} {
		for _, name := range strings.Fields(names) {
			out[name] = regexp.MustCompile("^(" + pattern + ")$")
		}
	}
	return out
}()

// typed checks the value of an attribute.
func typed(t *testing.T, version int, name, value string) {
	t.Helper()
	switch {
	case name == "fmiVersion":
		require.Equal(t, fmt.Sprintf("%d.0", version), value)
	case regexp.MustCompile("^(can|needs|provides|has|might)[A-Z]").MatchString(name):
		require.Regexp(t, "^(true|false)$", value, name)
	case patterns[name] != nil:
		require.Regexp(t, patterns[name], value, name)
	}
}

// grammatical checks elements and attributes.
func grammatical(t *testing.T, version int, n *node) {
	t.Helper()
	rule, known := grammar[version][n.name]
	require.True(t, known, "element %s", n.name)
	for _, word := range strings.Fields(rule) {
		if name, required := strings.CutSuffix(word, "!"); required {
			require.Contains(t, n.with, name, n.name)
		}
	}
	for name, value := range n.with {
		require.Contains(t, strings.Fields(strings.ReplaceAll(rule, "!", "")), name, n.name)
		typed(t, version, name, value)
	}
	if strings.Contains(lists, " "+n.name+" ") {
		require.NotEmpty(t, n.in, n.name)
	}
	last := 0
	for i, child := range n.in {
		place := slices.Index(order[n.name], child.name)
		require.GreaterOrEqual(t, place, last, "%s in %s", child.name, n.name)
		if i > 0 && place == last {
			require.Contains(t, repeated, " "+child.name+" ", "twice in %s", n.name)
		}
		last = place
		grammatical(t, version, child)
	}
}

// of returns the elements of a name in n.
func (n *node) of(name string) *node {
	for _, c := range n.in {
		if c.name == name {
			return c
		}
	}
	return &node{}
}

// capable checks what the standard says of the document as a whole, beyond the schema.
func capable(t *testing.T, d *node) {
	t.Helper()
	begin, err := strconv.ParseFloat(d.of("DefaultExperiment").with["startTime"], 64)
	require.NoError(t, err)
	end, err := strconv.ParseFloat(d.of("DefaultExperiment").with["stopTime"], 64)
	require.NoError(t, err)
	require.Greater(t, end, begin)
	independent := 0
	for _, v := range d.of("ModelVariables").in {
		if v.with["causality"] == "independent" {
			independent++
		}
	}
	require.Equal(t, 1, independent)
	var told []string
	for _, c := range d.of("LogCategories").in {
		told = append(told, c.with["name"])
	}
	want := []string{"logStatusError"}
	if d.of("ModelExchange").name != "" { // its functions discard, too
		want = []string{"logStatusDiscard", "logStatusError"}
	}
	require.Equal(t, want, told)
}

// rates checks that derivatives have the units of their states per second, or none where those have none.
func rates(t *testing.T, version int, d *node) {
	t.Helper()
	units := map[string]map[string]string{}
	for _, u := range d.of("UnitDefinitions").in {
		units[u.with["name"]] = u.in[0].with
	}
	list := d.of("ModelVariables").in
	of := func(v *node) map[string]string {
		if version == 2 {
			return v.in[0].with
		}
		return v.with
	}
	for _, v := range list {
		place, has := of(v)["derivative"]
		if !has {
			continue
		}
		i, err := strconv.Atoi(place)
		require.NoError(t, err)
		is, was := of(v)["unit"], of(list[i+version-3])["unit"] // indices of FMI 2.0 count from 1
		require.Equal(t, was == "", is == "", v.with["name"])
		for _, base := range strings.Fields("kg m s A K mol cd rad") {
			a, _ := strconv.Atoi(units[was][base]) // none is 0
			b, _ := strconv.Atoi(units[is][base])
			if base == "s" && is != "" {
				b++
			}
			require.Equal(t, a, b, v.with["name"])
		}
	}
}

// rules checks what the standard says of variables and of the structure, beyond the schema.
func rules(t *testing.T, version int, d *node) {
	t.Helper()
	capable(t, d)
	rates(t, version, d)
	units := map[string]bool{}
	for _, u := range d.of("UnitDefinitions").in {
		require.False(t, units[u.with["name"]])
		units[u.with["name"]] = true
	}
	seen, references := map[string]bool{}, map[string]bool{}
	var outputs, derivatives, initial, indicators []string // by the number of the structure
	states := map[string]bool{}
	for i, v := range d.of("ModelVariables").in {
		number, typed := v.with["valueReference"], v.with
		if version == 2 {
			require.Len(t, v.in, 1)
			number, typed = strconv.Itoa(i+1), v.in[0].with
		}
		name := v.with["name"]
		require.False(t, seen[name] || references[v.with["valueReference"]], name)
		require.NotRegexp(t, "[\t\n\r]|^$", name)
		seen[name], references[v.with["valueReference"]] = true, true
		if u := typed["unit"]; u != "" {
			require.True(t, units[u], u)
		}
		start, has := typed["start"]
		if has {
			_, err := strconv.ParseFloat(start, 64)
			require.NoError(t, err)
		}
		how := v.with["causality"] + " " + v.with["variability"] + " " + v.with["initial"]
		switch how { // those of the table of the standard that are used; a start is there where the value is exact, and for inputs
		case "independent continuous ", "output continuous calculated", "local continuous calculated":
			require.False(t, has, name)
		case "input continuous ", "parameter tunable exact":
			require.True(t, has, name)
		default:
			t.Fatalf("%s: %s", name, how)
		}
		if of := typed["derivative"]; of != "" {
			derivatives, states[of] = append(derivatives, number), true
		}
		if typed["reinit"] == "true" {
			initial = append(initial, number)
		}
		if strings.HasPrefix(name, "gap[") {
			indicators = append(indicators, number)
		}
		if v.with["causality"] == "output" {
			outputs = append(outputs, number)
		}
	}
	require.Len(t, states, len(derivatives))
	for _, x := range initial { // exactly the states may be others after an event
		require.True(t, states[x])
	}
	require.Len(t, initial, len(states))
	initial = append(append(slices.Clone(outputs), initial...), derivatives...)
	slices.SortFunc(initial, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	s := d.of("ModelStructure")
	list := func(group, element string) (out []string) {
		for _, n := range s.in {
			switch {
			case n.name == group:
				for _, u := range n.in {
					out = append(out, u.with["index"])
				}
			case n.name == element:
				out = append(out, n.with["valueReference"])
			}
		}
		return out
	}
	require.Equal(t, outputs, list("Outputs", "Output"))
	require.Equal(t, derivatives, list("Derivatives", "ContinuousStateDerivative"))
	require.Equal(t, initial, list("InitialUnknowns", "InitialUnknown"))
	if version == 2 {
		require.Equal(t, strconv.Itoa(len(indicators)), d.with["numberOfEventIndicators"])
	} else {
		require.Equal(t, indicators, list("", "EventIndicator"))
	}
	exchange := d.of("ModelExchange")
	require.Equal(t, len(derivatives) > 0, exchange.name != "")
	if version == 3 && exchange.name != "" { // else a tool does not tell of steps
		require.Equal(t, "true", exchange.with["needsCompletedIntegratorStep"])
	}
}

// TestRules: descriptions of models of many kinds are as the schemas and rules of both versions of the standard say.
func TestRules(t *testing.T) {
	models := map[string]*model.Model{"four-bar": read(t, fourBar), "stops": read(t, "../../cmd/librung/fmi/check/stops.model.json")}
	for _, family := range []string{"chain", "stewart", "rover", "random", "ball-net"} {
		m, err := bench.Generate(family, 3, 1)
		require.NoError(t, err)
		models[family] = m
	}
	free := read(t, fourBar)
	free.Joints = nil
	models["bodies without joints"] = free
	for name, m := range models {
		for _, version := range []int{2, 3} {
			t.Run(fmt.Sprint(name, version), func(t *testing.T) {
				var b bytes.Buffer
				o := fmu.Options{Version: version, Run: []byte(`{"format": "rung-run/1", "start": "close"}`)}
				if name == "four-bar" {
					o = options(version)
				}
				_, err := fmu.Write(here, &b, m, "", o)
				require.NoError(t, err)
				folder, _ := unpack(t, b.Bytes())
				text, err := os.ReadFile(filepath.Join(folder, "modelDescription.xml"))
				require.NoError(t, err)
				d := tree(t, text)
				grammatical(t, version, d)
				rules(t, version, d)
			})
		}
	}
}
