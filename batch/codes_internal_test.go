package batch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// largestOfCodes bounds the bodies of the mechanisms that are searched for codes.
const largestOfCodes = 90

// largestOfBack is the same for the way back, whose codes small ones have.
const largestOfBack = 10

// TestCodes: each instruction of package tape is emitted by the batch of a mechanism that testdata/codes.txt names: a model of
// reference/, a member of a family of package bench, or a hub. For a code whose mechanism does not emit it they are searched; -update
// writes what is found. The list holds for all sets of instructions. With AVX2, wide tiles have two rows instead of three: no batch has
// the codes of the others there, and the list keeps their mechanisms.
func TestCodes(t *testing.T) {
	old, err := os.ReadFile(filepath.Join("testdata", "codes.txt"))
	require.True(t, err == nil || os.IsNotExist(err), err)
	found, named := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(string(old)) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		named[name] = append(named[name], code)
	}
	for name, list := range named {
		emitted := codesOf(t, name)
		for _, code := range list {
			if emitted[code] || !hasTile(code) {
				found[code] = name
			}
		}
	}
	missing := map[string]bool{}
	for _, code := range codeNames() {
		if found[code] == "" {
			missing[code] = true
		}
	}
	search(t, missing, found)
	var got strings.Builder
	for _, code := range codeNames() {
		if missing[code] {
			t.Errorf("no mechanism emits %s", code)
			continue
		}
		fmt.Fprintf(&got, "%s %s\n", code, found[code])
	}
	check.Golden(t, "codes.txt", []byte(got.String()))
}

// hasTile reports whether the set of instructions in use has the tile of a code; what is no tile it has.
func hasTile(code string) bool {
	rows, columns := 0, 0
	for _, kind := range []string{"Tile", "Fresh"} {
		if n, err := fmt.Sscanf(code, kind+"%dx%d", &rows, &columns); n == 2 && err == nil {
			return rows <= tape.Rows(columns)
		}
	}
	return true
}

// codeNames returns the names of all codes but End.
func codeNames() (list []string) {
	for c := tape.End + 1; c.String() != tape.Code(1<<31).String(); c++ {
		list = append(list, c.String())
	}
	return list
}

// search moves missing codes to found, each with the first mechanism that emits it.
func search(t *testing.T, missing map[string]bool, found map[string]string) {
	t.Helper()
	if len(missing) == 0 {
		return
	}
	for _, name := range manyMechanisms(t) {
		for code := range codesOf(t, name) {
			if missing[code] {
				delete(missing, code)
				found[code] = name
			}
		}
		if len(missing) == 0 {
			return
		}
	}
}

// manyMechanisms names the models of reference/, small members of all families and hubs, each as it is and with all varied.
func manyMechanisms(t *testing.T) (list []string) {
	t.Helper()
	root := check.Reference(t, ".")
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, path); strings.HasSuffix(rel, ".model.json") && !strings.HasPrefix(rel, "invalid") {
			list = append(list, filepath.ToSlash(strings.TrimSuffix(rel, ".model.json")))
		}
		return err
	}))
	sort.Strings(list)
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 10, 13, 20, 30} {
		for _, name := range bench.Families() {
			for seed := range 3 {
				list = append(list, fmt.Sprintf("%s:%d:%d", name, n, seed+1))
			}
		}
	}
	for freedoms := 1; freedoms <= 3; freedoms++ {
		list = append(list, fmt.Sprintf("hub:%d:1", freedoms))
	}
	for _, name := range list {
		list = append(list, name+" varied")
	}
	return list
}

// mechanismOf returns a model by its name without " varied": family:size:seed, or a file of reference/. It returns nil for sizes
// that a family does not have.
func mechanismOf(t *testing.T, name string) *model.Model {
	t.Helper()
	part := strings.Split(name, ":")
	if len(part) < 3 {
		m, err := model.ReadFile(filepath.Join(check.Reference(t, "."), filepath.FromSlash(name)+".model.json"))
		require.NoError(t, err)
		return m
	}
	var n int
	var seed uint64
	_, err := fmt.Sscan(part[1]+" "+part[2], &n, &seed)
	require.NoError(t, err)
	if part[0] == "hub" {
		return hub(t, n)
	}
	m, err := bench.Generate(part[0], n, seed)
	if err != nil {
		return nil
	}
	return m
}

// hub returns an arm with up to three freedoms in the ground that one body is welded to, and another one thrice. The elimination takes
// the first body and its weld before the arm: so the block of the arm is not that of a leaf. Beside the two free bodies there are no
// more rows than coordinates, so none of the redundant ones are spare.
func hub(t *testing.T, freedoms int) *model.Model {
	t.Helper()
	b := build.New("hub").Gravity(0, -9.81, 0)
	z, at := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1, 0}
	arm := b.Rod("arm", 1, 0.1, spatial.Vec3{}, at)
	if freedoms == 1 {
		b.Revolute("root", build.World, arm, spatial.Vec3{}, z)
	} else {
		b.Cylindrical("root", build.World, arm, spatial.Vec3{}, z)
	}
	end := spatial.Vec3{1, 1, 0}
	if freedoms == 3 {
		fore := b.Rod("forearm", 1, 0.1, at, end)
		b.Revolute("elbow", arm, fore, at, z)
		arm = fore
	}
	load := b.Rod("load", 1, 0.1, end, spatial.Vec3{2, 1, 0})
	for i := range 3 {
		b.Fixed(fmt.Sprint("weld ", i), arm, load, end)
	}
	b.Fixed("weld", arm, b.Rod("other", 1, 0.1, end, spatial.Vec3{1, 2, 0}), end)
	for i := range 2 {
		b.Rod(fmt.Sprint("free ", i), 1, 0.1, end, spatial.Vec3{1, 2, 0})
	}
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// TestHubs: the accelerations of hubs in lanes are those of the solver.
func TestHubs(t *testing.T) {
	const tol = 1e-12 // a few digits more than rounding, as the rows of the hub are redundant
	for freedoms := 1; freedoms <= 3; freedoms++ {
		p, err := rung.NewPlan(hub(t, freedoms), kkt.Options{})
		require.NoError(t, err)
		b, err := New(p, Options{})
		require.NoError(t, err)
		s, r := b.NewStates(1), b.NewResults(1)
		b.Solve(s, r)
		require.Empty(t, r.OneByOne(), freedoms)
		n := 6 * p.Mechanism().NumBodies()
		solver, got, want := p.NewSolver(), make([]float64, n), make([]float64, n)
		require.NoError(t, solver.Solve(p.Initial()))
		r.To(got, 0)
		solver.AccelerationsTo(want)
		check.CloseVec(t, got, want, tol, 10, "%d freedoms", freedoms)
	}
}

// codesOf returns the codes in the tapes of a mechanism by its name; none if it has no lanes.
func codesOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	name, varied := strings.CutSuffix(name, " varied")
	m := mechanismOf(t, name)
	if m == nil || len(m.Bodies) > largestOfCodes {
		return nil
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	if err != nil || p.WhyOneByOne() != "" { // of models that are too hard for a plan
		return nil
	}
	o := Options{}
	if varied {
		o = Options{Wrenches: true, Vary: Everything(p.Mechanism())}
	}
	b, err := New(p, o)
	require.NoError(t, err, name)
	out := map[string]bool{}
	c := b.workers[0].c
	lists := [][]tape.Op{c.Fixed, c.Stage, c.Judge, c.Refine, c.Answers}
	if s := c.Steps; s != nil {
		lists = append(append(lists, s.Stages[:]...), s.Euler)
	}
	if !varied && len(m.Bodies) <= largestOfBack {
		if a, _ := mechanics.CompileAdjoint(p, &b.at.State, o.Wrenches); a != nil {
			lists = append(lists, a.Turn, a.Back, a.Verdict)
			if s := a.OverStep; s != nil {
				lists = append(append(append(lists, s.Ends, s.Join), s.Slopes[:]...), s.Over[:]...)
			}
		}
	}
	for _, ops := range lists {
		for _, o := range ops {
			if o.Code != tape.End {
				out[o.Code.String()] = true
			}
		}
	}
	return out
}
