package model

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// checkTerrain checks terrain i, and loads its file if the checker has files.
func (c *checker) checkTerrain(i int, f document.Flaws) {
	t := &c.m.Terrains[i]
	before := c.faults.Len()
	if !f.Has(terrainName) {
		c.checkName(t.Name)
	}
	if f.Has(terrainType) {
		return
	}
	if !t.Type.valid() {
		c.report(".type", t.Type.String(), "unknown terrain type")
		return
	}
	if t.Type == GivenTerrain {
		if t.Surface == nil {
			c.report(".type", "", "has no type and no surface")
		}
		return
	}
	c.checkOwn(t, f)
	c.vector(terrainPoint, t.Point[:], f)
	c.vector(terrainNormal, t.Normal[:], f)
	c.vector(terrainOrigin, t.Origin[:], f)
	if !f.Has(terrainNormal) && t.Type == PlaneTerrain && !(t.up()[2] > 0) {
		c.report(".normal", document.Numbers(t.Normal[:]), ruleUp)
	}
	c.checkNodes(t, f)
	c.checkSource(t, i, f)
	if c.files != nil && t.file() && t.Surface == nil && f == 0 && c.faults.Len() == before && c.ctx.Err() == nil {
		c.load(t)
	}
}

// priceTerrains reports each random terrain that takes more than MaxTerrainBytes, and the first one with which the random terrains
// in made take more together. It needs none of them in memory.
func (c *checker) priceTerrains(made []bool) {
	sum := 0.0
	for i := range c.m.Terrains {
		t := &c.m.Terrains[i]
		if t.Type != RandomTerrain || t.Surface != nil {
			continue
		}
		c.at(secTerrains, i)
		r := t.random()
		bytes := r.Bytes()
		size := fmt.Sprintf("[%d, %d]", t.Size[0], t.Size[1])
		if bytes > MaxTerrainBytes {
			c.report(".size", size, fault.TooDear(bytes, MaxTerrainBytes, "B", terrainAdvice))
			continue
		}
		if !made[i] {
			continue
		}
		if sum += bytes; sum > MaxTerrainBytes {
			c.report(".size", size, "with the terrains before it "+fault.TooDear(sum, MaxTerrainBytes, "B", terrainAdvice))
			return
		}
	}
}

const terrainAdvice = "choose fewer nodes, or write the heights to a file (rung terrain)"

// vector reports the field of a terrain, with index field in terrainFields, if an entry of its vector v is not finite.
func (c *checker) vector(field int, v []float64, f document.Flaws) {
	if !f.Has(field) {
		c.finite("."+terrainFields[field], v)
	}
}

// checkOwn reports fields of a terrain that are set although its type does not have them.
func (c *checker) checkOwn(t *Terrain, f document.Flaws) {
	own := &terrainOwn[t.Type]
	set := [...]bool{
		terrainPoint: t.Point != [3]float64{}, terrainNormal: t.Normal != [3]float64{}, terrainOrigin: t.Origin != [2]float64{},
		terrainSpacing: t.Spacing != [2]float64{}, terrainHeights: t.Heights != nil, terrainFile: t.File != "", terrainLayout: t.Layout != 0,
		terrainScale: t.Scale != 0, terrainOffset: t.Offset != 0, terrainFirstRow: t.FirstRow != 0, terrainLowest: t.Lowest != 0,
		terrainHighest: t.Highest != 0, terrainExpression: t.Expression != "", terrainKind: t.Kind != 0, terrainSize: t.Size != [2]int{},
		terrainRMS: t.RMS != 0, terrainLength: t.Length != 0, terrainHurst: t.Hurst != 0, terrainSeed: t.Seed != 0, terrainParts: t.Parts != nil,
		terrainInterpolation: t.Interpolation != 0, terrainOutside: t.Outside != 0,
	}
	for k, is := range set {
		if is && !f.Has(k) && !own.has(k) {
			c.report("."+terrainFields[k], "", meaningless("terrain", t.Type.String()))
		}
	}
}

// mostSpacing is the largest spacing, m, and leastSpacing the smallest spacing relative to the distance of the grid from the origin.
const mostSpacing, leastSpacing = 1e12, 1e-12

// checkNodes checks the fields that all terrains with nodes have: interpolation, outside, spacing and origin.
func (c *checker) checkNodes(t *Terrain, f document.Flaws) {
	if !t.nodes() {
		return
	}
	if t.Interpolation > ground.Linear {
		c.report(".interpolation", fmt.Sprint(uint8(t.Interpolation)), "unknown interpolation")
	}
	if t.Outside > ground.Tangent {
		c.report(".outside", fmt.Sprint(uint8(t.Outside)), "unknown rule")
	}
	if f.Has(terrainSpacing) || t.Type == CSVTerrain && t.Layout == ground.Points {
		return
	}
	for k, x := range t.Spacing {
		if c.number(document.Entry(".spacing", k), x) && !(x > 0) {
			c.report(document.Entry(".spacing", k), document.Number(x), ruleNotPositive)
			continue
		}
		switch far := math.Abs(t.Origin[k]); {
		case x > mostSpacing && !math.IsInf(x, 0):
			c.report(document.Entry(".spacing", k), document.Number(x), fmt.Sprintf("must be at most %v m", mostSpacing))
		case x > 0 && far*leastSpacing >= x && !math.IsInf(far, 0):
			c.report(document.Entry(".origin", k), document.Number(t.Origin[k]), fmt.Sprintf("so far away the spacing %v is lost to rounding", x))
		}
	}
}

// checkSource checks the fields that define the heights of terrain i, which is t.
func (c *checker) checkSource(t *Terrain, i int, f document.Flaws) {
	for _, x := range [...]struct {
		field int
		value float64
	}{
		{terrainScale, t.Scale}, {terrainOffset, t.Offset}, {terrainLowest, t.Lowest}, {terrainHighest, t.Highest}, {terrainRMS, t.RMS},
		{terrainLength, t.Length}, {terrainHurst, t.Hurst},
	} {
		if !f.Has(x.field) {
			c.number("."+terrainFields[x.field], x.value)
		}
	}
	switch t.Type {
	case GridTerrain:
		if !f.Has(terrainHeights) {
			c.checkHeights(t)
		}
	case CSVTerrain, PNGTerrain:
		if !f.Has(terrainFile) && (t.File == "" || !utf8.ValidString(t.File)) {
			c.report(".file", fault.Name(t.File), "is empty or no text")
		}
	case FunctionTerrain:
		if !f.Has(terrainExpression) {
			c.checkExpression(t.Expression)
		}
	case RandomTerrain:
		c.checkRandom(t, f)
	case SumTerrain:
		if !f.Has(terrainParts) {
			c.checkParts(t, i)
		}
	}
}

// checkHeights checks that the lines of a grid have the same length, that there are enough nodes in both directions for the
// interpolation, and that the heights are finite.
func (c *checker) checkHeights(t *Terrain) {
	least := t.leastNodes()
	if len(t.Heights) < least {
		c.report(".heights", "", fmt.Sprintf("has %d lines; interpolation %v needs %d at least", len(t.Heights), t.Interpolation, least))
		return
	}
	n := len(t.Heights[0])
	if n < least {
		c.report(".heights[0]", "", fmt.Sprintf("has %d heights; interpolation %v needs %d at least", n, t.Interpolation, least))
	}
	for j, row := range t.Heights {
		if len(row) != n {
			c.report(document.Entry(".heights", j), "", fmt.Sprintf("has %d heights, the first line has %d", len(row), n))
		}
		c.finite(document.Entry(".heights", j), row)
	}
}

// leastNodes returns the number of nodes in each direction that the interpolation needs: 4 for the spline, fewer for the others.
func (t *Terrain) leastNodes() int { return 4 - int(min(t.Interpolation, ground.Linear)) }

// checkExpression checks that a text is a function of x and y, and reports the position of the first error in it.
func (c *checker) checkExpression(text string) {
	_, err := ground.Function(text)
	if e := new(ground.ExpressionError); errors.As(err, &e) {
		c.report(".expression", fault.Name(text), fmt.Sprintf("character %d: %s", e.Position, fault.Line(e.Text)))
	} else if err != nil {
		c.report(".expression", fault.Name(text), fault.Line(fault.Plain(err).Error()))
	}
}

// checkRandom checks size, seed and spectrum of random ground.
func (c *checker) checkRandom(t *Terrain, f document.Flaws) {
	if !f.Has(terrainSize) {
		least := t.leastNodes()
		for k, n := range t.Size {
			if n < least {
				c.report(document.Entry(".size", k), fmt.Sprint(n), fmt.Sprintf("interpolation %v needs %d nodes at least", t.Interpolation, least))
			}
		}
	}
	if t.Seed > document.MaxInteger {
		c.report(".seed", fmt.Sprint(t.Seed), document.RuleInteger)
	}
	if t.Kind > ground.Uniform {
		c.report(".kind", fmt.Sprint(uint8(t.Kind)), "unknown kind")
	}
	if !f.Has(terrainRMS) && t.RMS < 0 {
		c.report(".rms", document.Number(t.RMS), ruleNegative)
	}
	switch fractal := t.Kind == ground.Fractal; {
	case fractal && !f.Has(terrainHurst) && !(t.Hurst > 0 && t.Hurst < 1):
		c.report(".hurst", document.Number(t.Hurst), "is not between 0 and 1")
	case !fractal && !f.Has(terrainLength) && !(t.Length > 0):
		c.report(".length", document.Number(t.Length), ruleNotPositive)
	}
}

// checkParts checks the number of parts of terrain i, which is a sum, and that each part is an earlier terrain.
func (c *checker) checkParts(t *Terrain, i int) {
	switch n := len(t.Parts); {
	case n == 0:
		c.report(".parts", "[]", "has no entries")
	case n > maxList:
		c.report(".parts", "", fmt.Sprintf("wrong length %d, must have at most %d entries", n, maxList))
		return
	}
	for k, name := range t.Parts {
		if c.terrain(name, i) < 0 {
			c.report(document.Entry(".parts", k), fault.Name(name), "is no terrain that stands before this one")
		}
	}
}

// checkContact checks the body, the terrain, the friction map, the shape and the law of a contact.
func (c *checker) checkContact(e *ForceElement, f document.Flaws) {
	c.note(1, -1)
	t := e.Contact
	if t == nil {
		c.report("", "", "has no contact")
		return
	}
	if e.A.Body == World && !f.Has(forceBody) {
		c.report(".body", fault.Name(World), "a contact needs a body, not the world")
	} else if !f.Has(forceBody) {
		c.reference(".body", &e.A.Body, 0)
	}
	if !f.Has(forceTerrain) {
		if i, ok := c.terrains.find(t.Terrain); ok {
			c.note(1, int32(i))
		} else {
			c.unknown(".terrain", t.Terrain, "terrain", len(c.m.Terrains), c.terrains.at)
		}
	}
	if _, ok := c.terrains.find(t.Map); t.Map != "" && !ok {
		c.unknown(".friction.map", t.Map, "terrain", len(c.m.Terrains), c.terrains.at)
	}
	// Problems of fields that the reader has already reported are left out.
	report := func(path, value, rule string) {
		for k := forceShape; k <= forceSamples; k++ {
			if f.Has(k) && strings.HasPrefix(path, "."+forceFields[k]) {
				return
			}
		}
		c.report(path, value, rule)
	}
	whole := contact.Contact{Shape: t.Shape, Law: t.Law}
	whole.Check(func(path, value, rule string) {
		if path != ".terrain" { // its name has been checked above
			report(path, value, rule)
		}
	})
}

// notNegative reports x if it is below zero.
func (c *checker) notNegative(tail string, x float64) {
	if c.number(tail, x) && x < 0 {
		c.report(tail, document.Number(x), ruleNegative)
	}
}

// checkActuator checks the joint, the value and the law of an actuator, and that fields which its law does not have are zero.
func (c *checker) checkActuator(e *ForceElement, f document.Flaws) {
	c.note(0, -1)
	c.note(1, -1)
	a := e.Actuator
	if a == nil {
		c.report("", "", "has no actuator")
		return
	}
	if !f.Has(forceJoint) {
		if j, ok := c.joints.find(a.Joint); ok && a.Joint != "" {
			c.note(0, int32(j))
			c.checkActuated(j, a.Freedom, f)
		} else {
			c.unknown(".joint", a.Joint, "joint", len(c.m.Joints), c.joints.at)
		}
	}
	if !f.Has(forceValue) {
		if a.Value == nil {
			c.report(".value", "", document.RuleMissing)
		} else {
			a.Value.Faults(func(field, value, rule string) {
				if a.constant() {
					field = ""
				} else {
					field = "." + field
				}
				c.report(".value"+field, value, rule)
			})
		}
	}
	if f.Has(forceLaw) {
		return
	}
	if int(a.Law) >= len(lawNames) {
		c.report(".law", a.Law.String(), "unknown law")
		return
	}
	own := &actuatorOwn[a.Law]
	for k, x := range [...]float64{a.Gain, a.Integral, a.Damping, a.Limit} {
		field := [...]int{forceGain, forceIntegral, forceDamping, forceLimit}[k]
		tail := "." + forceFields[field]
		switch {
		case f.Has(field):
		case x != 0 && !own.has(field):
			c.report(tail, document.Number(x), meaningless("law", a.Law.String()))
		default:
			c.notNegative(tail, x)
		}
	}
}

// constant reports whether the value is a constant: a polynomial with one coefficient.
func (a *Actuator) constant() bool {
	return a.Value.Kind == Polynomial && len(a.Value.Coefficients) == 1
}

// checkActuated checks that freedom k of joint j can have an actuator.
func (c *checker) checkActuated(j, k int, f document.Flaws) {
	jt := &c.m.Joints[j]
	jf := c.flaws[document.Place{Section: secJoints, Index: j}]
	if f.Has(forceFreedom) || jf.Has(jointType) || !jt.Type.Valid() {
		return
	}
	switch {
	case k < 0 || k >= jt.Kind().Freedoms():
		c.report(".freedom", fmt.Sprint(k), fmt.Sprintf("joint type %s has %d freedoms", jt.Type, jt.Kind().Freedoms()))
	case !jt.Kind().Scalar(k):
		c.report(".freedom", fmt.Sprint(k), "is a ball rotation, which has no coordinate")
	case !jf.Has(jointMotion) && k < len(jt.Motion) && jt.Motion[k] != nil:
		c.report(".freedom", fmt.Sprint(k), "is prescribed by a motion")
	}
}

// checkGround checks the terrain that the wheel of a rolling joint rolls on. The terrains have been checked.
func (c *checker) checkGround(j *Joint, f document.Flaws) {
	if f.Has(jointTerrain) || f.Has(jointType) {
		return
	}
	at := fault.Name(j.Terrain)
	if j.Type != Rolling {
		c.report(".terrain", at, meaningless("joint type", j.Type.String()))
		return
	}
	if j.BowlRadius != 0 {
		c.report(".terrain", at, "has no meaning beside bowl_radius")
	}
	if j.Predecessor != World && !f.Has(jointPredecessor) {
		c.report(".predecessor", fault.Name(j.Predecessor), "must be the world, which the terrain "+at+" belongs to")
	}
	if p := j.PredecessorFrame; !f.Has(jointPredecessorFrame) && (p.Position != [3]float64{} ||
		p.Orientation != [4]float64{} && (p.Orientation[1] != 0 || p.Orientation[2] != 0 || p.Orientation[3] != 0)) {
		c.report(".predecessor_frame", "", "has no meaning beside terrain, which stands in the axes of the world")
	}
	i, ok := c.terrains.find(j.Terrain)
	if !ok {
		c.unknown(".terrain", j.Terrain, "terrain", len(c.m.Terrains), c.terrains.at)
		return
	}
	if rough := c.rough(i); rough != "" {
		c.report(".terrain", at, "no wheel rolls on it: "+rough)
	}
}

// rough says why no wheel can roll on terrain i, which is in use. It is empty if one can, or if the terrain is not valid, which
// checkTerrain reports.
func (c *checker) rough(i int) string {
	if c.roughs == nil {
		c.roughs = make([]string, len(c.m.Terrains))
		for k, used := range c.m.usedTerrains() { // the parts of a sum come before it
			if used {
				c.roughs[k] = c.roughOf(k)
			}
		}
	}
	return c.roughs[i]
}

// roughOf computes rough for terrain i; roughs has the results for its parts.
func (c *checker) roughOf(i int) string {
	t := &c.m.Terrains[i]
	var err error
	switch {
	case t.Type == SumTerrain:
		for _, name := range t.Parts {
			if k := c.terrain(name, i); k >= 0 && c.roughs[k] != "" {
				return c.roughs[k]
			}
		}
	case t.Type == FunctionTerrain:
		if s, wrong := ground.Function(t.Expression); wrong == nil {
			err = s.Smooth()
		}
	case t.nodes():
		err = ground.SmoothGrid(ground.Options{Interpolation: t.Interpolation, Outside: t.Outside})
	case t.Type == GivenTerrain && t.Surface != nil:
		err = t.Surface.Smooth()
	}
	if errors.Is(err, ground.ErrRough) {
		return fmt.Sprintf("terrain %s: %s", fault.Name(t.Name), fault.Line(fault.Plain(err).Error()))
	}
	return ""
}
