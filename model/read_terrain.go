package model

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/document"
)

// terrain reads a terrain after its opening brace.
func (d *decoder) terrain(t *Terrain) {
	numbers := map[int]*float64{
		terrainScale: &t.Scale, terrainOffset: &t.Offset, terrainLowest: &t.Lowest, terrainHighest: &t.Highest,
		terrainRMS: &t.RMS, terrainLength: &t.Length, terrainHurst: &t.Hurst,
	}
	vectors := map[int][]float64{terrainPoint: t.Point[:], terrainNormal: t.Normal[:], terrainOrigin: t.Origin[:], terrainSpacing: t.Spacing[:]}
	var seen uint32
	for k := range d.Members(terrainFields, &seen) {
		switch k {
		case terrainName:
			t.Name = d.name()
		case terrainType:
			t.Type = TerrainType(1 + d.Choice(terrainNames[1:]...))
		case terrainHeights:
			t.Heights = d.heights()
		case terrainFile:
			t.File = d.name()
		case terrainExpression:
			t.Expression = d.name()
		case terrainLayout:
			t.Layout = choice(d, ground.Points)
		case terrainFirstRow:
			t.FirstRow = ground.South + ground.Side(d.Choice("south", "north"))
		case terrainKind:
			t.Kind = choice(d, ground.Uniform)
		case terrainInterpolation:
			t.Interpolation = choice(d, ground.Linear)
		case terrainOutside:
			t.Outside = choice(d, ground.Tangent)
		case terrainSize:
			d.size(&t.Size)
		case terrainSeed:
			if n := d.Integer(); n < 0 {
				d.Problem(document.Number(float64(n)), ruleNegative)
			} else {
				t.Seed = uint64(n)
			}
		case terrainParts:
			t.Parts = d.texts()
		default:
			if v := vectors[k]; v != nil {
				d.Vector(v)
			} else if d.Number(numbers[k]) && k == terrainScale && t.Scale == 0 {
				d.Problem("0", "is zero")
			}
		}
	}
	if !d.Fatal {
		d.finishTerrain(t, seen)
	}
}

// finishTerrain checks the fields and sets defaults once the type is known, which may come last in the document.
func (d *decoder) finishTerrain(t *Terrain, seen uint32) {
	d.Require(terrainFields, seen, terrainName, terrainType)
	if d.Flaw.Has(terrainType) {
		return
	}
	if t.Type == PlaneTerrain && t.Normal == [3]float64{} && !d.Flaw.Has(terrainNormal) {
		if seen>>terrainNormal&1 != 0 {
			d.ProblemAt(terrainFields, terrainNormal, document.Numbers(t.Normal[:]), ruleUp)
		}
		t.Normal = t.up()
	}
	if t.Type == CSVTerrain && seen>>terrainScale&1 == 0 {
		t.Scale = 1
	}
	if (t.Type == CSVTerrain || t.Type == PNGTerrain) && t.FirstRow == ground.Usual {
		t.FirstRow = t.usualRow()
	}
	own := &terrainOwn[t.Type]
	d.Require(terrainFields, seen, own.must...)
	d.refuseOthers(terrainFields, terrainPoint, seen, own, meaningless("terrain", t.Type.String()))
	switch points := t.Type == CSVTerrain && t.Layout == ground.Points; {
	case points:
		d.Refuse(terrainFields, seen, "has no meaning for layout points", terrainOrigin, terrainSpacing)
	case t.Type == CSVTerrain:
		d.Require(terrainFields, seen, terrainSpacing)
	case t.Type == RandomTerrain && t.Kind == ground.Fractal:
		d.Require(terrainFields, seen, terrainHurst)
	case t.Type == RandomTerrain:
		d.Require(terrainFields, seen, terrainLength)
	}
}

// usualRow returns the side of the first row of a file unless the document gives it: north for PNG, south for CSV.
func (t *Terrain) usualRow() ground.Side {
	if t.Type == PNGTerrain {
		return ground.North
	}
	return ground.South
}

// size reads the numbers of nodes in both directions.
func (d *decoder) size(n *[2]int) {
	if !d.OpenArray() {
		return
	}
	k := 0
	for ; d.Element(k); k++ {
		if k < len(n) {
			n[k] = int(min(d.Integer(), math.MaxInt32)) // on some systems an int has 32 bits
		} else {
			d.Skip()
		}
	}
	if k != len(n) && !d.Fatal {
		d.Problem("", fmt.Sprintf("wrong length %d, must have %d entries", k, len(n)))
	}
}

// heights reads the heights of a grid, m, a list for each line. Lines that exceed ground.MaxNodes in total are reported.
func (d *decoder) heights() (list [][]float64) {
	if !d.OpenArray() {
		return nil
	}
	n := 0
	for j := 0; d.Element(j); j++ {
		row := d.Numbers(nil, min(ground.MaxNodes, math.MaxInt)-n)
		n += len(row)
		list = append(list, row)
	}
	return list
}

// texts reads a list of texts. It skips entries beyond maxList and reports them.
func (d *decoder) texts() (list []string) {
	if !d.OpenArray() {
		return nil
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxList {
			d.Skip()
			continue
		}
		list = append(list, d.name())
	}
	d.Bound(n, maxList)
	return list
}
