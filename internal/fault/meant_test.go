package fault_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/fault"
)

func TestMeant(t *testing.T) {
	names := []string{"mass", "com", "inertia", "pose", "velocity", "coupler", "link1", "link2", "rest_length", "Ärmel", "tip "}
	for name, want := range map[string]string{
		"mas": "mass", "maass": "mass", "msas": "mass", "MASS": "mass", "mess": "mass",
		"Coupler": "coupler", "copuler": "coupler", "couplr": "coupler", "cuppler": "coupler",
		"inertai": "inertia", "restlength": "rest_length", "rest-lengths": "rest_length", "rst_lenght": "rest_length", "ärmel": "Ärmel",
		"lnk1": "link1", "Link_2": "link2", "link02": "link2", "tip": `"tip "`, // as what cannot be seen is in quotes
		"velo": "velocity", "iner": "inertia", // begins only one
		"ma": "", "x": "", "": "", "link": "", "link3": "", "link12": "", "lnk3": "",
		"moon": "", "colour": "", "couple of them": "", "rst_lnght_s": "",
	} {
		if want != "" {
			want = ", did you mean " + want + "?"
		}
		require.Equal(t, want, fault.Meant(name, names...), "%q", name)
	}
	require.Equal(t, ", did you mean abd?", fault.Meant("abcd", "xyz", "abd", "acd"), "the first of the nearest")
	require.Empty(t, fault.Meant("rod", ""))
}

// TestMeantIsDamerau compares with the whole table of the distance, for words of three letters of the alphabet.
func TestMeantIsDamerau(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	word := func() string {
		b := make([]byte, 1+rng.IntN(13))
		for i := range b {
			b[i] = "abc"[rng.IntN(3)]
		}
		return string(b)
	}
	said := 0
	for range 20000 {
		a, b := word(), word()
		n := min(len(a), len(b))
		limit := 0
		for _, at := range []int{3, 6, 10} {
			if n >= at {
				limit++
			}
		}
		near := damerau(a, b) <= limit || len(a) >= 3 && strings.HasPrefix(b, a)
		require.Equal(t, near, fault.Meant(a, b) != "", "%s %s", a, b)
		if near {
			said++
		}
	}
	require.Greater(t, said, 200)
}

// damerau is the number of changes that make b of a, by its definition.
func damerau(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for k := range d[i] {
			switch {
			case i == 0 || k == 0:
				d[i][k] = i + k
			default:
				differ := 1
				if a[i-1] == b[k-1] {
					differ = 0
				}
				d[i][k] = min(d[i-1][k]+1, d[i][k-1]+1, d[i-1][k-1]+differ)
				if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
					d[i][k] = min(d[i][k], d[i-2][k-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestMeantType(t *testing.T) {
	names := []string{"fixed", "revolute", "prismatic", "spherical", "sphere_in_cylinder", "spring_damper", "free"}
	for name, want := range map[string]string{
		"hinge": "revolute", "Hinge": "revolute", "hinge_joint": "revolute", "RevoluteJoint": "revolute", "revolut": "revolute", "pin": "revolute",
		"slider": "prismatic", "ball": "spherical", "ball joint": "spherical", "weld": "fixed", "spring": "spring_damper",
		"SphereInCylinder": "sphere_in_cylinder", "springdamper": "spring_damper", "fixd": "fixed",
		"hook": "", "joint": "", "motor": "", "": "", "bezier": "",
	} {
		if want != "" {
			want = ", did you mean " + want + "?"
		}
		require.Equal(t, want, fault.MeantType(name, names...), "%q", name)
	}
}

func TestNoneOf(t *testing.T) {
	require.Equal(t, `no colour "blu"; there are red, blue; did you mean blue?`, fault.NoneOf("colour", "blu", []string{"red", "blue"}))
	require.Equal(t, `no colour "teal"; there are red, blue`, fault.NoneOf("colour", "teal", []string{"red", "blue"}))
}

func TestNearPattern(t *testing.T) {
	names := []string{"joint.pin.q", "joint.pin.qd", "joint.pin.qdd", "marker.tip.ax", "marker.tip.ay", "rod.px"}
	near := func(pattern string, most int) []string {
		return fault.NearPattern(pattern, most, func(look func(string) bool) {
			for _, n := range names {
				if !look(n) {
					return
				}
			}
		})
	}
	require.Equal(t, []string{"joint.pin.qd", "joint.pin.q", "joint.pin.qdd"}, near("joint.pim.qd", 3))
	require.Equal(t, []string{"joint.pin.qd"}, near("joint.pim.qd", 1))
	require.Equal(t, []string{"marker.tip.ax", "marker.tip.ay"}, near("markr.t*p.ax", 3))
	require.Equal(t, []string{"rod.px"}, near("rodd.p?", 3))
	require.Empty(t, near("rocker.px", 3))
}

// TestHintsAreBounded: many unknown names among many cost no more than a few of them.
func TestHintsAreBounded(t *testing.T) {
	const n, unknown = 1_000_000, 1000
	var h fault.Hints
	looked := 0
	name := func(i int) string { looked++; return "body" }
	names := make([]string, n)
	for i := range names {
		names[i] = "a body of number " + strconv.Itoa(i)
	}
	began := time.Now()
	require.Equal(t, ", did you mean a body of number 77?", h.Meant("a bdy of number 77", n, func(i int) string { looked++; return names[i] }))
	for range unknown {
		h.Meant("bdoy", n, name)
	}
	require.Less(t, looked, 3*n)
	t.Log(looked, "names in", time.Since(began))
}

func BenchmarkMeant(b *testing.B) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = "link" + strconv.Itoa(i) + "_left"
	}
	b.ReportAllocs()
	for b.Loop() {
		fault.Meant("lnk99999_lft", names...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(names)), "ns/name")
}
