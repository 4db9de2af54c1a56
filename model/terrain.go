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

// TerrainType says where the heights of a terrain come from.
type TerrainType uint8

// The terrains of rung-model/1, and one that is made in Go and cannot be written.
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

// MaxTerrainBytes is the memory that the terrains of a model take at most that a few bytes of a document ask for: random
// ones, each by itself and all that are made together, and heights of a file that has been read for another terrain. A
// larger one is made with ground.Random and is a Surface, or is written to a file of heights. Points of the file of a curve
// that has been read for another curve count with the heights that are read again.
const MaxTerrainBytes = 1 << 29

// Terrain is a ground z = f(x, y), world axes, z up, on which contacts stand (docs/ground.md). Types have the fields
// that stand beside them; the others are zero.
type Terrain struct {
	Name string
	Type TerrainType

	Point, Normal   [3]float64  // PlaneTerrain; a zero Normal stands for up
	Origin, Spacing [2]float64  // m
	Heights         [][]float64 // m, a line of the grid each, from the south
	File            string      // relative to the folder of the model
	Layout          ground.Layout
	Scale           float64 // of CSVTerrain; 0 stands for 1
	Offset          float64 // m
	FirstRow        ground.Side
	Lowest, Highest float64 // m, of black and white
	Expression      string
	Size            [2]int // nodes along x and y
	Kind            ground.RandomKind
	RMS             float64 // m
	Length, Hurst   float64
	Seed            uint64
	Parts           []string // terrains that stand before this one

	Interpolation ground.Interpolation // of the types with nodes
	Outside       ground.Outside

	// Surface is made of the fields above, by Read and Load for files.
	// It is not made anew when they change; set it to nil then.
	Surface *ground.Surface
}

// nodes reports whether the terrain has heights at nodes.
func (t *Terrain) nodes() bool {
	return t.Type == GridTerrain || t.Type == CSVTerrain || t.Type == PNGTerrain || t.Type == RandomTerrain
}

// file reports whether the heights come from a file.
func (t *Terrain) file() bool { return t.Type == CSVTerrain || t.Type == PNGTerrain }

// Folder is a file system of the files of a folder, for Load: a name
// is relative to the folder, may lead out of it, or is absolute.
type Folder string

// Path returns where the file of a name is.
func (f Folder) Path(name string) string {
	if path := filepath.FromSlash(name); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(string(f), filepath.FromSlash(name))
}

// Open implements fs.FS. It refuses what is neither a file nor a folder: a pipe or a device may never end.
func (f Folder) Open(name string) (fs.File, error) {
	path := f.Path(name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	return os.Open(path)
}

var errIrregular = errors.New("not a regular file")

// pathIn returns what messages call a file of files.
func pathIn(files fs.FS, name string) string {
	if f, ok := files.(Folder); ok {
		name = f.Path(name)
	}
	return fault.Line(name)
}

// Load reads the files of the terrains that have no Surface yet, and of the curves that have no points, from a file system such as Folder.
//
// Cost: O(nodes). It returns *Problems with all that Check finds and
// all that is wrong in the files, and the error of ctx if that ends.
func (m *Model) Load(ctx context.Context, files fs.FS) error {
	c := checker{faults: new(document.Faults), m: m, ctx: ctx, files: files}
	c.run()
	return c.end(nameOf(m))
}

// Surfaces returns the surfaces of the terrains, in their order: those that are there, and new ones for the others.
//
// Cost: O(nodes), for random ones with the logarithm. It returns *Problems for what cannot be made, which are the files
// that have not been loaded if m passes Check and random terrains that together take more than MaxTerrainBytes, and the
// error of ctx if that ends.
func (m *Model) Surfaces(ctx context.Context) ([]*ground.Surface, error) {
	every := make([]bool, len(m.Terrains))
	for i := range every {
		every[i] = true
	}
	return m.surfaces(ctx, every)
}

// UsedSurfaces is Surfaces for the terrains that contacts stand on, that wheels of joints roll on or that are the map of a friction, and
// the parts of these; it has nil for the others.
func (m *Model) UsedSurfaces(ctx context.Context) ([]*ground.Surface, error) {
	return m.surfaces(ctx, m.usedTerrains())
}

// usedTerrains returns which terrains are used by contacts and joints, or by sums that are.
func (m *Model) usedTerrains() []bool {
	if len(m.Terrains) == 0 {
		return nil
	}
	number := make(map[string]int, len(m.Terrains))
	for i := len(m.Terrains) - 1; i >= 0; i-- { // the first of a name counts
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
	for i := len(used) - 1; i >= 0; i-- { // parts stand before their sums
		if used[i] && m.Terrains[i].Type == SumTerrain {
			for _, name := range m.Terrains[i].Parts {
				use(name, i)
			}
		}
	}
	return used
}

// surfaces returns the surfaces of the terrains that are wanted, whose parts are too.
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

// surface makes the surface of t, nil after a problem. The surfaces of the terrains before it are given.
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

// up is the normal of a plane.
func (t *Terrain) up() spatial.Vec3 {
	if t.Normal == [3]float64{} {
		return spatial.Vec3{0, 0, 1}
	}
	return t.Normal
}

func (t *Terrain) random() ground.RandomGround {
	return ground.RandomGround{
		Origin: t.Origin, Spacing: t.Spacing, Size: t.Size, Kind: t.Kind, RMS: t.RMS, Length: t.Length, Hurst: t.Hurst, Seed: t.Seed,
	}
}

// terrain returns the number of the terrain of a name among the first n, −1 if there is none.
func (c *checker) terrain(name string, n int) int {
	if i, ok := c.terrains.find(name); ok && i < n && name != "" {
		return i
	}
	return -1
}

// readAgain adds the bytes of what has been read from the file of a name to those that are read again, if the file has been read before.
func (c *checker) readAgain(name string, bytes float64) {
	name = path.Clean(name) // of a.csv and ./a.csv the file is one
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

// load reads the file of t, whose fields are right.
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
	defer f.Close() // nothing has been written
	field, err := format.Read(c.ctx, f, shown)
	if err == nil {
		const node = 24 // bytes
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

// failed reports the error of a surface: one problem for each line of a file, and for each part of a joined error.
func (c *checker) failed(tail string, err error) {
	if c.ctx.Err() != nil {
		return // which end tells
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
	if p := new(fs.PathError); errors.As(err, &p) { // of reading
		err = p.Err
	}
	c.report(tail, "", fault.Line(fault.Plain(err).Error()))
}

// end returns the problems of the checker, or the error of its context.
func (c *checker) end(name string) error {
	if c.ctx != nil && c.ctx.Err() != nil {
		return fmt.Errorf("model: %w", context.Cause(c.ctx))
	}
	return problems(name, c.faults)
}

// nameOf returns what problems of m have in the place of a file.
func nameOf(m *Model) string {
	if m.Name != "" {
		return fault.Name(m.Name)
	}
	return "model"
}
