package xmltree

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// Values reads the values of attributes and of texts of elements. A value that cannot be read is reported, and the default is
// returned.
type Values struct {
	Report *source.Report
	// Stray allows quotes, commas and semicolons after a number. They are removed, with a report.
	Stray bool
	// Empty allows elements without a text. The default is used, with a report.
	Empty bool
}

// Floats returns the numbers of a text, which are separated by blanks.
func Floats(text string) ([]float64, error) {
	out := make([]float64, 0, 3)
	for word := range strings.FieldsSeq(text) {
		x, err := Float(word)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// Float returns the value of a word: a decimal number, or an infinity. NaN, hexadecimal numbers and underscores are errors.
func Float(word string) (float64, error) {
	for k := range len(word) {
		switch word[k] {
		case '_', 'x', 'X', 'p', 'P':
			return 0, fmt.Errorf("xmltree: %s is not a number", fault.Name(word))
		}
	}
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil && math.IsInf(x, 0):
		return 0, fmt.Errorf("xmltree: %s is too large", fault.Name(word))
	case err != nil, math.IsNaN(x):
		return 0, fmt.Errorf("xmltree: %s is not a number", fault.Name(word))
	}
	return x, nil
}

// whatOf returns the subject of a report: an attribute of n, or the text of n if name is "".
func whatOf(n *Node, name string) string {
	if name == "" {
		return "the text of " + fault.Name(n.Name)
	}
	return "attribute " + fault.Name(name)
}

// refuse reports that the value of an attribute of n, or its text if name is "", cannot be read.
func (v Values) refuse(n *Node, name, why string) {
	what := whatOf(n, name)
	if name != "" {
		n.SetAttr(name, v.Report.Bad(), "")
	}
	v.Report.Refuse(n, what, why)
}

// Numbers returns the numbers of an attribute. Their count must be from least to most, and they must be finite. It returns nil if n
// has no such attribute or, after a report, if the value is not valid.
func (v Values) Numbers(n *Node, name string, least, most int) []float64 {
	text, ok := n.Attr(name)
	if !ok {
		return nil
	}
	return v.parse(n, name, text, least, most)
}

// TextNumbers is Numbers for the text of n.
func (v Values) TextNumbers(n *Node, least, most int) []float64 {
	n.Use()
	return v.parse(n, "", n.Text, least, most)
}

// parse is Numbers for a text: the value of the attribute, or the text of n if name is "".
func (v Values) parse(n *Node, name, text string, least, most int) []float64 {
	if v.empty(n, name, text) {
		return nil
	}
	list, err := v.floats(n, name, text)
	switch {
	case err != nil:
		v.refuse(n, name, fault.Plain(err).Error())
		return nil
	case len(list) < least || len(list) > most:
		want := strconv.Itoa(least)
		if most != least {
			want += " to " + strconv.Itoa(most)
		}
		v.refuse(n, name, fmt.Sprintf("has %d numbers in place of %s", len(list), want))
		return nil
	}
	for _, x := range list {
		if math.IsInf(x, 0) {
			v.refuse(n, name, fault.Name(strings.TrimSpace(text))+" is not finite")
			return nil
		}
	}
	return list
}

// Blank reports whether n has no text and Empty allows that, which it adds to the report.
func (v Values) Blank(n *Node) bool { return v.empty(n, "", n.Text) }

// empty reports whether the text of an element (name is "") is blank and the default is used, which it adds to the report. It returns
// false while shapes for viewers are read (Report.Bad is Dropped): a shape without a size is left out instead.
func (v Values) empty(n *Node, name, text string) bool {
	if !v.Empty || name != "" || strings.TrimSpace(text) != "" || v.Report.Bad() == source.Dropped {
		return false
	}
	v.Report.Change(n, whatOf(n, name), "is empty", "what the format says of files without the element is taken")
	return true
}

// floats returns the numbers of a text. If Stray is set, it removes quotes, commas and semicolons after them.
func (v Values) floats(n *Node, name, text string) ([]float64, error) {
	list, err := Floats(text)
	if err == nil || !v.Stray {
		return list, err
	}
	words := strings.Fields(text)
	for k := range words {
		words[k] = strings.TrimRight(words[k], `"',;`)
	}
	clean := strings.Join(words, " ")
	if list, again := Floats(clean); again == nil && len(list) == len(words) {
		v.Report.Change(n, whatOf(n, name), fault.Plain(err).Error(), "it is read as "+clean)
		return list, nil
	}
	return nil, err
}

// Number returns the finite number of an attribute, or usual if there is no attribute or no valid number.
func (v Values) Number(n *Node, name string, usual float64) float64 {
	if x := v.Numbers(n, name, 1, 1); x != nil {
		return x[0]
	}
	return usual
}

// ChildNumber returns the finite number in the text of a child of n, or usual if there is no child or no valid number.
func (v Values) ChildNumber(n *Node, child string, usual float64) float64 {
	if c := n.Child(child); c != nil {
		if x := v.TextNumbers(c, 1, 1); x != nil {
			return x[0]
		}
	}
	return usual
}

// ChildVector is ChildNumber for three numbers.
func (v Values) ChildVector(n *Node, child string, usual [3]float64) [3]float64 {
	if c := n.Child(child); c != nil {
		if x := v.TextNumbers(c, 3, 3); x != nil {
			return [3]float64(x)
		}
	}
	return usual
}

// Bound is Number for a number that may be infinite.
func (v Values) Bound(n *Node, name string, usual float64) float64 {
	text, ok := n.Attr(name)
	if !ok {
		return usual
	}
	return v.bound(n, name, text, usual)
}

// TextBound is Bound for the text of n.
func (v Values) TextBound(n *Node, usual float64) float64 {
	n.Use()
	return v.bound(n, "", n.Text, usual)
}

// bound is Bound for a text: the value of the attribute, or the text of n if name is "".
func (v Values) bound(n *Node, name, text string, usual float64) float64 {
	if v.empty(n, name, text) {
		return usual
	}
	switch list, err := v.floats(n, name, text); {
	case err != nil:
		v.refuse(n, name, fault.Plain(err).Error())
	case len(list) != 1:
		v.refuse(n, name, fmt.Sprintf("has %d numbers in place of 1", len(list)))
	default:
		return list[0]
	}
	return usual
}

// Vector returns the three finite numbers of an attribute, or usual if there is no attribute or its value is not valid.
func (v Values) Vector(n *Node, name string, usual [3]float64) [3]float64 {
	if x := v.Numbers(n, name, 3, 3); x != nil {
		return [3]float64(x)
	}
	return usual
}

// Required returns the text of an attribute. A missing or empty one is reported, and "" returned.
func (v Values) Required(n *Node, name string) string {
	text, ok := n.Attr(name)
	if !ok || text == "" {
		v.Report.Refuse(n, "attribute "+fault.Name(name), "is missing")
	}
	return text
}

// RequiredNumber is Number for an attribute without a default. If it is missing, that is reported as an error, and usual is returned so
// that reading can continue.
func (v Values) RequiredNumber(n *Node, name string, usual float64) float64 {
	if !n.Has(name) {
		v.Report.Refuse(n, "attribute "+fault.Name(name), "is missing")
	}
	return v.Number(n, name, usual)
}

// Choice returns the index of an attribute's text in among, or usual if n has no such attribute. For a text that is not in among it
// returns usual after a report.
func (v Values) Choice(n *Node, name string, usual int, among ...string) int {
	text, ok := n.Attr(name)
	if !ok {
		return usual
	}
	for k, s := range among {
		if s == text {
			return k
		}
	}
	v.refuse(n, name, fault.Name(text)+" is none of "+strings.Join(among, ", "))
	return usual
}

// True returns the value of an attribute that is true, false, 1 or 0, or usual if n has no such attribute. For any other text it returns
// usual after a report.
func (v Values) True(n *Node, name string, usual bool) bool {
	text, ok := n.Attr(name)
	if !ok {
		return usual
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	v.refuse(n, name, fault.Name(text)+" is neither true nor false")
	return usual
}

// Refuse reports that the value of an attribute of n cannot be read, and why.
func (v Values) Refuse(n *Node, name, why string) { v.refuse(n, name, why) }
