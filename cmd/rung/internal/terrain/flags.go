package terrain

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// The sources that are not files.
const (
	fromRandom   = "random"
	fromFunction = "function"
)

// flags are the flags of rung terrain as given, and their values as check parses them.
type flags struct {
	size, spacing, origin                             string
	layout, first, kind, interpolation, outside, more string
	scale, offset, lowest, highest                    float64
	random                                            ground.RandomGround
	output, plot, relief                              string
	points, gradient, normals, json                   bool
	at                                                []string // places for the report, as given
	// Set by check.
	csv     ground.CSV
	png     ground.PNG
	options ground.Options
	nodes   [2]int       // number along x and y
	places  [][2]float64 // m
}

// Flags that belong to some sources only.
var (
	ofCSV    = []string{"layout", "scale", "offset"}
	ofPNG    = []string{"lowest", "highest"}
	ofFiles  = []string{"first"}
	ofRandom = []string{"kind", "rms", "length", "hurst", "seed"}
	ofMade   = []string{"size"}
	ofGrids  = []string{"interpolation", "outside"}
)

// newFlags returns flags without values; add gives them their defaults.
func newFlags() *flags { return &flags{} }

// add adds the flags to cmd, with their defaults.
func (f *flags) add(cmd *cobra.Command) {
	v := cmd.Flags()
	v.StringVar(&f.size, "size", "61x61", "nodes along x and y of random and function")
	v.StringVar(&f.spacing, "spacing", "1", "m from node to node, or along x and y as 0.5,0.4")
	v.StringVar(&f.origin, "origin", "0,0", "x,y of the south-west node, m")
	v.StringVar(&f.layout, "layout", "matrix", "lines of a CSV file: matrix or points")
	v.StringVar(&f.first, "first-row", "", "side of the first line of a matrix or picture: south or north (CSV south, PNG north)")
	v.Float64Var(&f.scale, "scale", 1, "CSV: height = offset + scale × number")
	v.Float64Var(&f.offset, "offset", 0, "CSV: see --scale, m")
	v.Float64Var(&f.lowest, "lowest", 0, "PNG: height of black, m")
	v.Float64Var(&f.highest, "highest", 1, "PNG: height of white, m")
	v.StringVar(&f.kind, "kind", "gaussian", "random: gaussian, fractal or uniform")
	v.Float64Var(&f.random.RMS, "rms", 0.1, "random: root mean square of the heights, m")
	v.Float64Var(&f.random.Length, "length", 5, "random: correlation length of gaussian and uniform, m")
	v.Float64Var(&f.random.Hurst, "hurst", 0.8, "random: exponent of fractal, between 0 (rough) and 1 (smooth)")
	v.Uint64Var(&f.random.Seed, "seed", 1, "random: seed")
	v.StringVar(&f.more, "add", "", "an expression in x and y to add to the heights, such as a slope 0.1*x")
	v.StringVar(&f.interpolation, "interpolation", "spline", "between nodes: spline, hermite or linear")
	v.StringVar(&f.outside, "outside", "stop", "beyond the border for --at: stop, level or tangent")
	v.StringVarP(&f.output, "output", "o", "", `file of the heights, ending in .csv, .png (16 bits) or .obj; "-" is standard output, as CSV`)
	v.BoolVar(&f.points, "points", false, "write CSV as lines x,y,z")
	v.StringVar(&f.plot, "plot", "", "map with heights and contours, ending in .svg or .png")
	v.BoolVar(&f.gradient, "gradient", false, "with arrows uphill in the map")
	v.StringVar(&f.relief, "relief", "", "oblique picture, ending in .svg or .png")
	v.BoolVar(&f.normals, "normals", false, "with normals in the relief")
	v.StringArrayVar(&f.at, "at", nil, "x,y of a place to look at: height, gradient and normal; may be given several times")
	v.BoolVar(&f.json, "json", false, "print one JSON document")
	shell.Complete(cmd, "layout", "matrix", "points")
	shell.Complete(cmd, "first-row", "south", "north")
	shell.Complete(cmd, "kind", "gaussian", "fractal", "uniform")
	shell.Complete(cmd, "interpolation", "spline", "hermite", "linear")
	shell.Complete(cmd, "outside", "stop", "level", "tangent")
}

// check parses the flags. It returns an error of use for a bad value, and for flags that do not belong to the source, args[0].
func (f *flags) check(cmd *cobra.Command, args []string) error {
	if err := f.checkSource(cmd, args[0]); err != nil {
		return err
	}
	if err := f.parse(args[0]); err != nil {
		return err
	}
	return f.checkOutputs(args[0])
}

// checkSource returns an error for a source of no known kind, and for a given flag that belongs to other sources.
func (f *flags) checkSource(cmd *cobra.Command, source string) error {
	others := slices.Concat(ofRandom, ofMade)
	switch ending := strings.ToLower(filepath.Ext(source)); {
	case source == fromRandom:
		others = slices.Concat(ofCSV, ofPNG, ofFiles)
	case source == fromFunction:
		others = slices.Concat(ofCSV, ofPNG, ofFiles, ofRandom, ofGrids)
	case source == shell.Stdio || ending == ".csv":
		others = append(others, ofPNG...)
		if f.layout == ground.Points.String() {
			others = append(others, "first-row", "spacing", "origin")
		}
	case ending == ".png":
		others = append(others, ofCSV...)
	default:
		return shell.UseErrorf("%s: terrains are random, function, or files ending in .csv or .png", fault.Line(source))
	}
	for _, name := range others {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			return shell.UseErrorf("--%s does not belong to %s", name, sourceName(source, f.layout))
		}
	}
	return nil
}

// sourceName returns the kind of a source for messages.
func sourceName(source, layout string) string {
	switch ending := strings.ToLower(filepath.Ext(source)); {
	case source == fromRandom || source == fromFunction:
		return source
	case ending == ".png":
		return "a PNG file"
	case layout == ground.Points.String():
		return "a CSV file of points"
	}
	return "a CSV file"
}

// parse turns the texts of the flags into values, or returns an error of use for the first bad one.
func (f *flags) parse(source string) error {
	var err [5]error
	f.csv.Layout, err[0] = ground.ParseLayout(f.layout)
	f.random.Kind, err[1] = ground.ParseRandomKind(f.kind)
	f.options.Interpolation, err[2] = ground.ParseInterpolation(f.interpolation)
	f.options.Outside, err[3] = ground.ParseOutside(f.outside)
	if f.first != "" {
		f.csv.First, err[4] = ground.ParseSide(f.first)
	}
	for _, e := range err {
		if e != nil {
			return shell.UseErrorf("%w", fault.Plain(e))
		}
	}
	spacing, e := pair("spacing", f.spacing, true)
	if e != nil {
		return e
	}
	origin, e := pair("origin", f.origin, false)
	if e != nil {
		return e
	}
	f.csv.Origin, f.csv.Spacing = origin, spacing
	if f.csv.Layout == ground.Points {
		f.csv.Origin, f.csv.Spacing = [2]float64{}, [2]float64{}
	}
	f.csv.Scale, f.csv.Offset = f.scale, f.offset
	f.png = ground.PNG{Origin: origin, Spacing: spacing, Lowest: f.lowest, Highest: f.highest, First: f.csv.First}
	f.random.Origin, f.random.Spacing = origin, spacing
	return f.parseMore(source)
}

// mostBytes is the largest memory for the nodes of --size.
const mostBytes = 1 << 31

// bytes returns the memory that a terrain of the nodes of --size takes; 0 for files, which have their own size.
func (f *flags) bytes(source string) float64 {
	const height = 8 // bytes of one height
	sum := height * float64(f.nodes[0]) * float64(f.nodes[1])
	switch {
	case source == fromRandom:
		sum = f.random.Bytes()
	case source != fromFunction:
		return 0 // --size is not for files
	}
	if f.more != "" {
		sum += height * float64(f.nodes[0]) * float64(f.nodes[1])
	}
	return sum
}

// parseMore parses --size and --at. It also checks the memory that the size takes, and that --scale is not 0.
func (f *flags) parseMore(source string) error {
	a, b, ok := strings.Cut(f.size, "x")
	nx, err1 := strconv.Atoi(a)
	ny, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil {
		return shell.UseErrorf("--size: nodes along x and y such as 61x61 are wanted (value %s)", fault.Name(f.size))
	}
	f.nodes = [2]int{nx, ny}
	if err := ground.CheckSize(f.nodes); err != nil {
		return shell.UseErrorf("--size: %w", fault.Plain(err))
	}
	f.random.Size = f.nodes
	if bytes, most := f.bytes(source), float64(mostBytes); bytes > most {
		return shell.UseErrorf("--size %s: %s %s", f.size, source, fault.TooDear(bytes, most, "B", "choose fewer nodes, or make the terrain in parts"))
	}
	for _, text := range f.at {
		place, err := pair("at", text, false)
		if err != nil {
			return err
		}
		f.places = append(f.places, place)
	}
	if f.scale == 0 {
		return shell.UseErrorf("--scale is 0: all heights would be the same")
	}
	return nil
}

// pair parses two finite numbers with a comma between them, given to the flag. If one, a single number stands for both.
func pair(flag, text string, one bool) (v [2]float64, err error) {
	list := strings.Split(text, ",")
	if one && len(list) == 1 {
		list = append(list, list[0])
	}
	bad := len(list) != 2
	for k := 0; k < 2 && !bad; k++ {
		v[k], err = strconv.ParseFloat(strings.TrimSpace(list[k]), 64)
		bad = err != nil || !algebra.Finite(v[k])
	}
	if bad {
		return v, shell.UseErrorf("--%s: two numbers such as 1.5,-2 are wanted (value %s)", flag, fault.Name(text))
	}
	return v, nil
}

// checkOutputs returns the first mistake in the names of output files and in the flags that belong to them.
func (f *flags) checkOutputs(source string) error {
	if (f.plot != "" || f.relief != "") && !picture.Drawn {
		return shell.UseErrorf(picture.Missing)
	}
	for _, path := range [...]string{f.plot, f.relief} {
		if err := shell.CheckPicture(path, picture.Endings...); err != nil {
			return err
		}
	}
	if ending := strings.ToLower(filepath.Ext(f.output)); f.output != "" && f.output != shell.Stdio && !slices.Contains([]string{".csv", ".png", ".obj"}, ending) {
		return shell.UseErrorf("%s: heights are written to files ending in .csv, .png or .obj", f.output)
	}
	if f.json && f.output == shell.Stdio {
		return shell.UseErrorf("--json and -o - both write to standard output")
	}
	if f.gradient && f.plot == "" {
		return shell.UseErrorf("--gradient needs a map to stand in: --plot FILE")
	}
	if f.normals && f.relief == "" {
		return shell.UseErrorf("--normals needs a relief to stand in: --relief FILE")
	}
	return f.checkApart(source)
}

// checkApart returns an error if two outputs go to one file, or if an output would replace the source by a file of another
// format. Heights in the same format may replace their source.
func (f *flags) checkApart(source string) error {
	list := [...]string{f.output, f.plot, f.relief}
	for i, path := range list {
		if err := shell.Apart(path, "two outputs in one file", list[:i]...); err != nil {
			return err
		}
	}
	if strings.EqualFold(filepath.Ext(f.output), filepath.Ext(source)) {
		list[0] = ""
	}
	for _, path := range list {
		if err := shell.Apart(path, "would replace the terrain by another format", source); err != nil {
			return err
		}
	}
	return nil
}
