package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// TerrainType is the definition of the heights of a terrain.
type TerrainType uint8

// The terrains of rung-model/1, with the fields of each; and GivenTerrain, which is made in Go and cannot be written.
const (
	GivenTerrain    TerrainType = iota // Surface
	PlaneTerrain                       // Point, Normal
	GridTerrain                        // Origin, Spacing, Heights
	CSVTerrain                         // File, Layout, Origin, Spacing, Scale, Offset, FirstRow
	PNGTerrain                         // File, Origin, Spacing, Lowest, Highest, FirstRow
	FunctionTerrain                    // Expression
	RandomTerrain                      // Kind, Origin, Spacing, Size, RMS, Length, Hurst, Seed
	SumTerrain                         // Parts
)

var terrainNames = [...]string{
	GivenTerrain: "given", PlaneTerrain: "plane", GridTerrain: "grid", CSVTerrain: "csv", PNGTerrain: "png",
	FunctionTerrain: "function", RandomTerrain: "random", SumTerrain: "sum",
}

// valid reports whether t is a type of terrain.
func (t TerrainType) valid() bool { return int(t) < len(terrainNames) }

// String returns the name of rung-model/1.
func (t TerrainType) String() string {
	if !t.valid() {
		return fmt.Sprintf("TerrainType(%d)", uint8(t))
	}
	return terrainNames[t]
}

// MaxTerrainBytes bounds the memory that a few bytes of a document can require: of each random terrain, of all random terrains
// that are used, and of all heights and points from files that are read again for another terrain or curve. For a larger
// random terrain, make a Surface with ground.Random, or write the heights to a file.
const MaxTerrainBytes = 1 << 29

// Terrain is a ground z = f(x, y), world axes, z up, for contacts and wheels (docs/ground.md). The constants of TerrainType list the
// fields of each type; the others are zero.
type Terrain struct {
	Name string
	Type TerrainType

	Point, Normal   [3]float64  // PlaneTerrain: a point, m, and the normal; a zero Normal stands for up
	Origin, Spacing [2]float64  // of the nodes, along x and y, m
	Heights         [][]float64 // m, a list for each line of the grid, from the south
	File            string      // relative to the folder of the model
	Layout          ground.Layout
	Scale           float64 // CSVTerrain: factor of the heights; 0 stands for 1
	Offset          float64 // CSVTerrain: added to the scaled heights, m
	FirstRow        ground.Side
	Lowest, Highest float64 // PNGTerrain: heights of black and white, m
	Expression      string
	Size            [2]int // numbers of nodes along x and y
	Kind            ground.RandomKind
	RMS             float64 // m
	Length, Hurst   float64
	Seed            uint64
	Parts           []string // names of terrains that come before this one

	Interpolation ground.Interpolation // of types with nodes
	Outside       ground.Outside

	// Surface, if not nil, is used in place of the fields above. ReadIn and Load make it for heights in files.
	// When the fields change, set it to nil.
	Surface *ground.Surface
}

// nodes reports whether the terrain has heights at nodes.
func (t *Terrain) nodes() bool {
	return t.Type == GridTerrain || t.Type == CSVTerrain || t.Type == PNGTerrain || t.Type == RandomTerrain
}

// file reports whether the heights are in a file.
func (t *Terrain) file() bool { return t.Type == CSVTerrain || t.Type == PNGTerrain }

// Folder is the path of a folder as a file system, for Load. A name
// is relative to the folder or absolute; with "..", it may be outside the folder.
type Folder string

// Path returns the path of the file with a name, in the form of the operating system.
func (f Folder) Path(name string) string {
	if path := filepath.FromSlash(name); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// Open implements fs.FS. It refuses anything that is neither a regular file nor a folder: reading a pipe or a device may never end.
func (f Folder) Open(name string) (fs.File, error) {
	path := f.Path(name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	return os.Open(path)
}

var errIrregular = errors.New("not a regular file")

// pathIn returns the name of a file of files for messages: its path if files is a Folder.
func pathIn(files fs.FS, name string) string {
	if f, ok := files.(Folder); ok {
		name = f.Path(name)
	}
	return fault.Line(name)
}

// Load reads the files of the terrains that have no Surface yet, and of the curves that have no points, from a file system such as Folder.
//
// Cost: O(nodes). It returns *Problems with the problems of Check and of the files,
// or an error that wraps the cause of ctx if ctx ends.
func (m *Model) Load(ctx context.Context, files fs.FS) error {
	c := checker{faults: new(document.Faults), m: m, ctx: ctx, files: files}
	c.run()
	return c.end(nameOf(m))
}

// Surfaces returns the surfaces of the terrains, in their order: Terrain.Surface where it is set, else a new one, which is not stored.
//
// Cost: O(nodes), for random terrains O(nodes·log nodes). It returns *Problems for surfaces that cannot be made: if m passes Check, these
// are files that have not been loaded, and random terrains that together take more than MaxTerrainBytes. It returns an
// error that wraps the cause of ctx if ctx ends.
func (m *Model) Surfaces(ctx context.Context) ([]*ground.Surface, error) {
	every := make([]bool, len(m.Terrains))
	for i := range every {
		every[i] = true
	}
	return m.surfaces(ctx, every)
}

// UsedSurfaces is Surfaces for the terrains that contacts, wheels and maps of friction use, and for
// the parts of these; the entries of other terrains are nil.
func (m *Model) UsedSurfaces(ctx context.Context) ([]*ground.Surface, error) {
	return m.surfaces(ctx, m.usedTerrains())
}

// usedTerrains returns for each terrain whether a contact, a joint or a used sum uses it; nil if there are no terrains.
func (m *Model) usedTerrains() []bool {
	if len(m.Terrains) == 0 {
		return nil
	}
	number := make(map[string]int, len(m.Terrains))
	for i := len(m.Terrains) - 1; i >= 0; i-- { // backwards: of equal names the first counts
		number[m.Terrains[i].Name] = i
	}
	used := make([]bool, len(m.Terrains))
	use := func(name string, before int) {
		if i, ok := number[name]; ok && name != "" && i < before {
			used[i] = true
		}
	}
	for i := range m.Joints {
		use(m.Joints[i].Terrain, len(used))
	}
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			use(c.Terrain, len(used))
			use(c.Map, len(used))
		}
	}
	for i := len(used) - 1; i >= 0; i-- { // the parts of a sum come before it
		if used[i] && m.Terrains[i].Type == SumTerrain {
			for _, name := range m.Terrains[i].Parts {
				use(name, i)
			}
		}
	}
	return used
}

// surfaces returns the surfaces of the terrains in wanted, nil for the others. With a sum, wanted must contain its parts.
func (m *Model) surfaces(ctx context.Context, wanted []bool) ([]*ground.Surface, error) {
	if len(m.Terrains) == 0 {
		return nil, nil
	}
	c := checker{faults: new(document.Faults), m: m, ctx: ctx}
	c.indexTerrains()
	c.priceTerrains(wanted)
	if err := c.end(nameOf(m)); err != nil {
		return nil, err
	}
	list := make([]*ground.Surface, len(m.Terrains))
	for i := range m.Terrains {
		t := &m.Terrains[i]
		if !wanted[i] {
			continue
		}
		c.at(secTerrains, i)
		if list[i] = t.Surface; list[i] == nil {
			list[i] = c.surface(t, list[:i])
		}
	}
	return list, c.end(nameOf(m))
}

// surface makes the surface of t; before has the surfaces of the terrains before it. It returns nil after a problem.
func (c *checker) surface(t *Terrain, before []*ground.Surface) (s *ground.Surface) {
	var err error
	o := ground.Options{Interpolation: t.Interpolation, Outside: t.Outside}
	field := &ground.Field{Origin: t.Origin, Spacing: t.Spacing}
	switch t.Type {
	case PlaneTerrain:
		s, err = ground.NewPlane(t.Point, t.up())
	case FunctionTerrain:
		s, err = ground.Function(t.Expression)
	case GridTerrain:
		before := c.faults.Len()
		if c.checkHeights(t); c.faults.Len() > before {
			return nil
		}
		field.Size = [2]int{len(t.Heights[0]), len(t.Heights)}
		field.Heights = slices.Concat(t.Heights...)
		s, err = ground.NewGrid(c.ctx, field, o)
	case RandomTerrain:
		if field, err = ground.Random(c.ctx, t.random()); err == nil {
			s, err = ground.NewGrid(c.ctx, field, o)
		}
	case SumTerrain:
		parts := make([]*ground.Surface, len(t.Parts))
		for k, name := range t.Parts {
			i := c.terrain(name, len(before))
			if i < 0 || before[i] == nil {
				return nil
			}
			parts[k] = before[i]
		}
		s, err = ground.Sum(parts...)
	default:
		c.report(".file", fault.Name(t.File), "the file has not been loaded (Model.Load)")
		return nil
	}
	if err != nil {
		c.failed("", err)
		return nil
	}
	return s
}

// up returns the normal of a plane; the default is z.
func (t *Terrain) up() spatial.Vec3 {
	if t.Normal == [3]float64{} {
		return spatial.Vec3{0, 0, 1}
	}
	return t.Normal
}

// random returns the parameters of a random terrain.
func (t *Terrain) random() ground.RandomGround {
	return ground.RandomGround{
		Origin: t.Origin, Spacing: t.Spacing, Size: t.Size, Kind: t.Kind, RMS: t.RMS, Length: t.Length, Hurst: t.Hurst, Seed: t.Seed,
	}
}

// terrain returns the index of the terrain with a name among the first n, −1 if there is none.
func (c *checker) terrain(name string, n int) int {
	if i, ok := c.terrains.find(name); ok && i < n && name != "" {
		return i
	}
	return -1
}

// readAgain adds the memory of the data read from the file name to c.again if the file has been read before.
func (c *checker) readAgain(name string, bytes float64) {
	name = path.Clean(name) // a.csv and ./a.csv are the same file
	if f, ok := c.files.(Folder); ok {
		name = f.Path(name)
	}
	if c.read[name] {
		c.again += bytes
		return
	}
	if c.read == nil {
		c.read = map[string]bool{}
	}
	c.read[name] = true
}

// load reads the file of t, whose fields are valid, and makes its surface, or reports a problem.
func (c *checker) load(t *Terrain) {
	var format ground.Format = &ground.CSV{Layout: t.Layout, Origin: t.Origin, Spacing: t.Spacing, Scale: t.Scale, Offset: t.Offset, First: t.FirstRow}
	if t.Type == PNGTerrain {
		format = &ground.PNG{Origin: t.Origin, Spacing: t.Spacing, Lowest: t.Lowest, Highest: t.Highest, First: t.FirstRow}
	}
	shown := pathIn(c.files, t.File)
	f, err := c.files.Open(t.File)
	if err != nil {
		if p := new(fs.PathError); errors.As(err, &p) {
			err = p.Err
		}
		c.report(".file", shown, fault.Line("cannot be opened: "+err.Error()))
		return
	}
	defer f.Close() // reading only: an error of Close loses nothing
	field, err := format.Read(c.ctx, f, shown)
	if err == nil {
		const node = 24 // bytes per node: three numbers
		if c.readAgain(t.File, node*float64(len(field.Heights))); c.again > MaxTerrainBytes {
			c.report(".file", shown, "the file is read again, and with the terrains before it that "+fault.TooDear(c.again, MaxTerrainBytes, "B", "name one terrain in all places"))
			return
		}
	}
	if err == nil {
		t.Surface, err = ground.NewGrid(c.ctx, field, ground.Options{Interpolation: t.Interpolation, Outside: t.Outside})
	}
	if err != nil {
		c.failed(".file", err)
	}
}

// failed reports the error of a surface at path tail: a problem for each wrong line of a file, and for each part of a joined error.
func (c *checker) failed(tail string, err error) {
	if c.ctx.Err() != nil {
		return // end returns the error of the context
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			c.failed(tail, err)
		}
		return
	}
	if p := new(ground.Problems); errors.As(err, &p) {
		for _, q := range p.List {
			c.report(tail, "", q.In(p.File))
		}
		if p.More > 0 {
			c.report(tail, "", fmt.Sprintf("%s: and %d more", fault.Line(p.File), p.More))
		}
		return
	}
	if p := new(fs.PathError); errors.As(err, &p) { // an error of reading, without the path
		err = p.Err
	}
	c.report(tail, "", fault.Line(fault.Plain(err).Error()))
}

// end returns the problems of the checker, or an error with the cause of its context if that has ended.
func (c *checker) end(name string) error {
	if c.ctx != nil && c.ctx.Err() != nil {
		return fmt.Errorf("model: %w", context.Cause(c.ctx))
	}
	return problems(name, c.faults)
}

// nameOf returns the name of m for messages, in place of a file: "model" if it has none.
func nameOf(m *Model) string {
	if m.Name != "" {
		return fault.Name(m.Name)
	}
	return "model"
}
