package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	listed     = 20    // bodies, and joints, in the table without --all
	nameWidth  = 14    // columns of a name
	textWidth  = 60    // of one that is not in a table
	noise      = 1e-12 // of the largest value of a table: shown as 0
	tableWidth = 80
)

// printResult writes r for people: tables of the first most bodies and joints,
// then the constraints in words.
func printResult(w io.Writer, r *acceleration, most int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s at %s s: %s, %s\n", modelTitle(r.Name), short(r.Time), plural(len(r.Bodies), "body"), plural(len(r.Joints), "joint"))
	printBodies(b, r.Bodies, most)
	printJoints(b, r.Joints, most)
	printSummary(b, r)
	return b.Flush()
}

// modelTitle returns the name of a model for a heading.
func modelTitle(name string) string {
	if name == "" {
		return "model"
	}
	return fault.Text(name, textWidth)
}

// row is one line of a table: a name and two vectors. Bits of mark, in the
// order of the columns, add an asterisk.
type row struct {
	name string
	v    [2]spatial.Vec3
	mark uint8
}

func printBodies(w io.Writer, list []rung.BodyResult, most int) {
	rows := make([]row, min(len(list), most))
	var scale [2]float64
	for i := range list {
		b := &list[i]
		v := [2]spatial.Vec3{b.ComAcceleration, b.AngularAcceleration}
		enlarge(&scale, &v)
		if i < len(rows) {
			rows[i] = row{name: b.Name, v: v}
		}
	}
	printTable(w, "body", [2]string{"com acceleration, m/s²", "angular acceleration, rad/s²"}, rows, scale)
	printMore(w, len(list)-len(rows), "body")
}

func printJoints(w io.Writer, list []rung.JointResult, most int) {
	rows := make([]row, min(len(list), most))
	var scale [2]float64
	for i := range list {
		j := &list[i]
		v := [2]spatial.Vec3{j.TotalWrench.Force, j.TotalWrench.Moment}
		enlarge(&scale, &v)
		if i < len(rows) {
			rows[i] = row{name: j.Name, v: v, mark: marks(j.Undetermined)}
		}
	}
	printTable(w, "joint", [2]string{"force, N", "moment, N m"}, rows, scale)
	printMore(w, len(list)-len(rows), "joint")
}

// marks returns the bits of the undetermined components, forces first.
func marks(components []string) (bits uint8) {
	for _, name := range components {
		bit := 0
		if strings.HasPrefix(name, "moment") {
			bit = 3
		}
		bits |= 1 << (bit + int(name[len(name)-1]-'x'))
	}
	return bits
}

func enlarge(scale *[2]float64, v *[2]spatial.Vec3) {
	for i := range v {
		for _, x := range v[i] {
			scale[i] = max(scale[i], math.Abs(x))
		}
	}
}

func printTable(w io.Writer, kind string, heads [2]string, rows []row, scale [2]float64) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-*s%*s%*s\n", nameWidth, kind, 32, heads[0], 33, heads[1])
	fmt.Fprintf(w, "%-*s", nameWidth, "")
	fmt.Fprintf(w, "%10c%11c%11c%11c%11c%11c\n", 'x', 'y', 'z', 'x', 'y', 'z')
	for i := range rows {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", nameWidth, fault.Text(rows[i].name, nameWidth-1))
		for k := range 6 {
			mark := byte(' ')
			if rows[i].mark>>k&1 == 1 {
				mark = '*'
			}
			x := rows[i].v[k/3][k%3]
			if math.Abs(x) < noise*scale[k/3] {
				x = 0
			}
			fmt.Fprintf(&line, "%10s%c", narrow(x), mark)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

func printMore(w io.Writer, n int, kind string) {
	if n > 0 {
		fmt.Fprintf(w, "… and %d more %s (--all lists them)\n", n, strings.TrimPrefix(plural(n, kind), strconv.Itoa(n)+" "))
	}
}

// short returns x with four digits.
func short(x float64) string {
	if x == 0 {
		return "0" // never −0
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// narrow is short with fewer digits where they need more than nine columns.
func narrow(x float64) string {
	s := short(x)
	if len(s) > 9 {
		s = strconv.FormatFloat(x, 'g', 3, 64)
	}
	return s
}

// plural returns n and the noun.
func plural(n int, noun string) string {
	s := strconv.Itoa(n) + " "
	switch {
	case n == 1:
		return s + noun
	case strings.HasSuffix(noun, "y"):
		return s + noun[:len(noun)-1] + "ies"
	default:
		return s + noun + "s"
	}
}
