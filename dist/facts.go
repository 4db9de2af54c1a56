package dist

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"runtime"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// Fact is a property of a computation that has to be the same on all ranks, as text: an option, the fingerprint of a model.
type Fact struct{ Name, Value string }

// DifferError is the error of a Fact that is different on some rank.
type DifferError struct {
	Rank  int    // the rank that differs
	Other int    // one of the ranks from which it differs
	Fact  string // name
	Value string // on Rank
	Usual string // on Other
}

// Error names the rank and the fact.
func (e *DifferError) Error() string {
	return fmt.Sprintf("dist: rank %d computes something else than rank %d: %s is %s, not %s", e.Rank, e.Other, e.Fact, e.Value, e.Usual)
}

// AgreeOn returns nil on all ranks if all ranks give the same facts. Else it returns on all ranks a *DifferError about the first fact that
// differs. All ranks call it together; a fact that a rank does not give has the value "none" there.
func AgreeOn(c Comm, facts ...Fact) error {
	var own []float64
	for _, f := range facts {
		own = append(append(own, words(f.Name)...), words(f.Value)...)
	}
	lists := gatherLists(c, own)
	verdict := []float64{-1}
	if e := firstDifference(lists); e != nil {
		verdict = []float64{float64(e.Rank), float64(e.Other)}
		for _, s := range []string{e.Fact, e.Value, e.Usual} {
			verdict = append(verdict, words(s)...)
		}
	}
	verdict = same(c, verdict)
	if verdict[0] < 0 {
		return nil
	}
	s := texts(verdict[2:])
	return &DifferError{Rank: int(verdict[0]), Other: int(verdict[1]), Fact: s[0], Value: s[1], Usual: s[2]}
}

// texts returns the texts that words has packed, one behind the other.
func texts(w []float64) (list []string) {
	for len(w) > 0 {
		n := 1 + (int(w[0])+7)/8
		list = append(list, text(w[:n]))
		w = w[n:]
	}
	return list
}

// firstDifference compares the packed facts of all ranks, by rank. It returns nil if they are equal.
func firstDifference(lists [][]float64) *DifferError {
	facts := make([][]string, len(lists)) // names and values
	most := 0
	for r, l := range lists {
		facts[r] = texts(l)
		most = max(most, len(facts[r]))
	}
	value := func(r, i int) (name, value string) {
		if i >= len(facts[r]) {
			return "", "none"
		}
		return facts[r][i], facts[r][i+1]
	}
	for i := 0; i < most; i += 2 {
		count := make(map[[2]string]int)
		for r := range facts {
			n, v := value(r, i)
			count[[2]string{n, v}]++
		}
		if len(count) == 1 {
			continue
		}
		usual := 0 // the lowest rank with the most frequent fact
		for r := range facts {
			if n, v := value(r, i); count[[2]string{n, v}] > count[pair(value(usual, i))] {
				usual = r
			}
		}
		name, want := value(usual, i)
		for r := range facts {
			if n, v := value(r, i); n != name || v != want {
				if name == "" {
					name = n
				} else if n != name {
					v = "none"
				}
				return &DifferError{Rank: r, Other: usual, Fact: name, Value: v, Usual: want}
			}
		}
	}
	return nil
}

// pair returns both texts as an array.
func pair(a, b string) [2]string { return [2]string{a, b} }

// facts returns the facts about options. Threads may differ, as the bits do not depend on them.
func (o *Options) facts() []Fact {
	return []Fact{
		{"option Epsilon", fmt.Sprint(o.Epsilon)},
		{"option Refine", fmt.Sprint(o.Refine)},
		{"option Root", runtime.FuncForPC(reflect.ValueOf(o.Root).Pointer()).Name()},
	}
}

// factsOf returns the facts about a whole mechanism, which each rank has.
func factsOf(m *mechanism.Mechanism) []Fact {
	names := fnv.New64a()
	add := func(name string) { // a zero byte ends each name, as names have none
		io.WriteString(names, name)
		names.Write([]byte{0})
	}
	for i := range m.NumBodies() {
		add(m.BodyName(i))
	}
	for i := range m.NumConstraints() {
		add(m.ConstraintName(i))
	}
	st := m.Initial()
	initial := newDigest()
	initial.add(st.Time)
	for i := range st.Bodies {
		initial.body(&st.Bodies[i])
	}
	initial.add(st.Angles...)
	initial.add(st.Internal...)
	return []Fact{
		{"the number of bodies", fmt.Sprint(m.NumBodies())},
		{"the number of joints", fmt.Sprint(m.NumJoints())},
		{"gravity", fmt.Sprint(m.Gravity)},
		{"the fingerprint of bodies, joints and forces", fmt.Sprintf("%016x", sim.Fingerprint(m))},
		{"the fingerprint of the names", fmt.Sprintf("%016x", names.Sum64())},
		{"the fingerprint of the initial state", fmt.Sprintf("%016x", initial.sum)},
	}
}

// digestOf returns the fingerprint of a joint with its bodies, of 52 bits, which a number holds exactly.
func digestOf(jt *model.Joint, bodies ...*model.Body) (float64, error) {
	part := &model.Model{Name: "joint", Joints: []model.Joint{*jt}}
	for _, b := range bodies {
		part.Bodies = append(part.Bodies, *b)
	}
	h := fnv.New64a()
	if err := model.Write(h, part); err != nil {
		return 0, fault.Errorf("dist: joint %s: %w", fault.Name(jt.Name), err)
	}
	return float64(h.Sum64() & digestBits), nil
}

// digestBits has the bits of a fingerprint that is sent as a number, which holds whole numbers of 52 bits exactly.
const digestBits = 1<<52 - 1

// digest is a fingerprint of numbers (FNV-1a by words).
type digest struct{ sum uint64 }

// newDigest returns the fingerprint of no numbers.
func newDigest() digest { return digest{14695981039346656037} }

// add includes numbers in the fingerprint.
func (p *digest) add(v ...float64) {
	for _, x := range v {
		p.one(x)
	}
}

// one includes a number in the fingerprint.
func (p *digest) one(x float64) {
	p.sum = (p.sum ^ math.Float64bits(x)) * 1099511628211
	p.sum ^= p.sum >> 32 // as high bits do not change the low bits of a product
}

// body includes the pose and velocity of a body in the fingerprint.
func (p *digest) body(b *mechanism.BodyState) {
	for i := range 3 {
		p.one(b.Position[i])
		p.one(b.Velocity[i])
		p.one(b.Omega[i])
	}
	for _, x := range b.Rotation {
		p.one(x)
	}
}
