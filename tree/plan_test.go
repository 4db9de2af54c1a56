package tree_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// bare is a model of bodies a, b, … and joints written "P-S type", with _ for
// the world.
func bare(n int, edges ...string) *model.Model {
	m := model.New("bare")
	for i := range n {
		m.Bodies = append(m.Bodies, model.Body{
			Name: string(rune('a' + i)), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
		})
	}
	name := func(c byte) string {
		if c == '_' {
			return model.World
		}
		return string(c)
	}
	for _, e := range edges {
		k, err := joints.ParseKind(e[4:])
		if err != nil {
			panic(err)
		}
		j := model.Joint{Name: e, Type: model.JointType(k), Predecessor: name(e[0]), Successor: name(e[2])}
		switch k {
		case joints.Helical:
			j.Pitch = 1
		case joints.Distance:
			j.Length = 1
		}
		m.Joints = append(m.Joints, j)
	}
	return m
}

// shape is what TestSpanningTree expects: bodies in the order of links, parents,
// tree joints (−1 for a base) and loop joints.
type shape struct {
	order    string
	parents  []int
	joints   []int
	reversed []bool
	loops    []int
	common   []int
}

func TestSpanningTree(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *model.Model
		o    tree.Options
		want shape
	}{
		{
			"few freedoms first", bare(3, "_-a spherical", "a-b revolute", "b-c cylindrical", "_-c revolute"), tree.Options{},
			shape{"cba", []int{-1, 0, 1}, []int{3, 2, 1}, []bool{false, true, true}, []int{0}, []int{-1}},
		},
		{
			"equal freedoms by number", bare(3, "_-a revolute", "a-b prismatic", "b-c helical", "c-_ revolute"), tree.Options{},
			shape{"abc", []int{-1, 0, 1}, []int{0, 1, 2}, []bool{false, false, false}, []int{3}, []int{-1}},
		},
		{
			"demanded joints", bare(3, "_-a revolute", "a-b prismatic", "b-c helical", "c-_ revolute"), tree.Options{TreeJoints: []int{3, 2, 3}},
			shape{"acb", []int{-1, -1, 1}, []int{0, 3, 2}, []bool{false, true, true}, []int{1}, []int{-1}},
		},
		{
			"siblings by body, preorder", bare(4, "_-c revolute", "c-b revolute", "a-c revolute", "b-d revolute"), tree.Options{},
			shape{"cabd", []int{-1, 0, 0, 2}, []int{0, 2, 1, 3}, []bool{false, true, false, false}, nil, nil},
		},
		{
			"floating parts, rowless and parallel joints", bare(4, "_-a free", "a-b spherical", "a-b revolute", "c-d distance", "_-d point_on_plane"), tree.Options{},
			shape{"abcd", []int{-1, 0, -1, -1}, []int{-1, 2, -1, -1}, []bool{false, false, false, false}, []int{1, 3, 4}, []int{0, -1, -1}},
		},
		{
			"base of the user", bare(3, "a-b revolute", "b-c revolute"), tree.Options{Floating: []int{1}},
			shape{"bac", []int{-1, 0, 0}, []int{-1, 0, 1}, []bool{false, true, false}, nil, nil},
		},
		{"nothing", bare(0), tree.Options{}, shape{order: ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.m, c.o)
			requireShape(t, r.plan, c.want)
		})
	}
}

func requireShape(t *testing.T, p *tree.Plan, want shape) {
	t.Helper()
	got := shape{}
	for i, l := range p.Links {
		got.order += p.Mechanism().BodyName(int(l.Body))
		got.parents = append(got.parents, int(l.Parent))
		got.joints = append(got.joints, int(l.Joint))
		got.reversed = append(got.reversed, l.Reversed)
		assert.EqualValues(t, i, p.LinkOf[l.Body])
		assert.Less(t, int(l.Parent), i)
	}
	row := int32(0)
	for _, l := range p.Loops {
		got.loops = append(got.loops, int(l.Joint))
		got.common = append(got.common, int(l.Common))
		assert.Equal(t, row, l.Row)
		row += l.Rows
	}
	assert.EqualValues(t, row, p.LoopRows)
	assert.Equal(t, want, got)
}

// TestNumbering checks intervals, entries of q and q̇ and their parents on a
// random tree.
func TestNumbering(t *testing.T) {
	r := newRig(t, randomTree(200, 5, treeTypes, check.Rand(7)), tree.Options{})
	p := r.plan
	q, dof := 0, 0
	below := func(a, i int) bool { // by parents
		for i != tree.World && i != a {
			i = int(p.Links[i].Parent)
		}
		return i == a
	}
	for i := range p.Links {
		l := &p.Links[i]
		assert.EqualValues(t, q, l.Q)
		assert.EqualValues(t, dof, l.Dof)
		q, dof = q+int(l.NumQ), dof+int(l.NumDof)
		for k := range p.Links {
			require.Equal(t, below(i, k), k >= i && k < int(l.End), "link %d below %d", k, i)
		}
		for k := l.Dof; k < l.Dof+l.NumDof; k++ {
			up := p.DofParent[k]
			assert.Less(t, up, k)
			if up >= 0 {
				assert.Equal(t, p.DofDepth[up]+1, p.DofDepth[k])
				assert.Greater(t, p.DofEnd[up], k)
			} else {
				assert.Zero(t, p.DofDepth[k])
			}
		}
	}
	assert.Equal(t, p.NumQ(), q)
	assert.Equal(t, p.NumDof(), dof)
	assert.Equal(t, p.NumLinks(), len(p.Links))
	for a := range p.Links {
		for b := range p.Links {
			c := a
			for c != tree.World && !below(c, b) {
				c = int(p.Links[c].Parent)
			}
			require.Equal(t, c, p.CommonAncestor(a, b), "of %d and %d", a, b)
		}
		require.Equal(t, tree.World, p.CommonAncestor(a, tree.World))
		require.Equal(t, tree.World, p.CommonAncestor(tree.World, a))
	}
}

func TestPrescribed(t *testing.T) {
	r := newRig(t, golden(t, "driven-mixed"), tree.Options{}).atInitial(t)
	require.NotEmpty(t, r.plan.Prescribed)
	for _, f := range r.plan.Prescribed {
		mo := r.mech.Joints[f.Joint].Motion[f.Freedom]
		q, qd, _ := mo.At(r.w.State().Time)
		l := &r.plan.Links[linkOfDof(r.plan, f.Dof)]
		assert.Equal(t, f.Joint, l.Joint)
		check.Close(t, r.qd[f.Dof], qd, roundTol, 1, "rate of %s", r.mech.JointName(int(f.Joint)))
		if l.NumQ == l.NumDof {
			check.Close(t, r.q[l.Q+f.Freedom], q, roundTol, 1, "coordinate of %s", r.mech.JointName(int(f.Joint)))
		}
	}
}

func linkOfDof(p *tree.Plan, d int32) int {
	for i, l := range p.Links {
		if d < l.Dof+l.NumDof {
			return i
		}
	}
	return -1
}

func TestPlanErrors(t *testing.T) {
	m := bare(3, "_-a revolute", "a-b revolute", "b-_ revolute", "b-c distance", "c-a free")
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	for _, c := range []struct {
		o    tree.Options
		want error
		text string
	}{
		{tree.Options{TreeJoints: []int{0, 1, 2}}, tree.ErrTreeJoint, `joint "b-_ revolute": joint cannot be in the tree: it closes a loop`},
		{tree.Options{TreeJoints: []int{3}}, tree.ErrTreeJoint, `joint "b-c distance": joint cannot be in the tree: it has type distance`},
		{tree.Options{TreeJoints: []int{4}}, tree.ErrTreeJoint, `joint "c-a free": joint cannot be in the tree: it has type free`},
		{tree.Options{Floating: []int{2, 2}}, tree.ErrFloating, `tree: body "c": `},
		{tree.Options{Floating: []int{1}}, tree.ErrFloating, `tree: body "b": `},
	} {
		_, err := tree.NewPlan(mech, c.o)
		require.ErrorIs(t, err, c.want)
		assert.Contains(t, err.Error(), c.text)
	}
	assert.PanicsWithValue(t, "tree: joint out of range", func() { _, _ = tree.NewPlan(mech, tree.Options{TreeJoints: []int{5}}) })
	assert.PanicsWithValue(t, "tree: body out of range", func() { _, _ = tree.NewPlan(mech, tree.Options{Floating: []int{-1}}) })
}
