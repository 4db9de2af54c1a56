package mechanism_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// groupsOf returns the names of the bodies of each group, with their first columns.
func groupsOf(t *testing.T, m *model.Model, rules mechanism.HangingRules) (list []string) {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	rules.MayLead = func(j *mechanism.Joint, _ int32) bool { return j.Kind == joints.Revolute }
	h := mech.Hang(&rules)
	for i := range len(h.Groups) - 1 {
		bodies, dof := h.Group(i)
		text := fmt.Sprint(dof)
		for k, b := range bodies {
			text += fmt.Sprintf(" %s:%d", mech.BodyName(int(b.Body)), b.From)
			require.Equal(t, int(h.Groups[i])+k, int(h.Of[b.Body]))
			require.Equal(t, b.Body, mech.Joints[b.Joint].Other(bodyOf(h, b.Parent)))
		}
		list = append(list, text)
	}
	return list
}

func bodyOf(h *mechanism.Hanging, k int32) int32 {
	if k < 0 {
		return mechanism.World
	}
	return h.Bodies[k].Body
}

// TestHang: each rule keeps the coupler of a four-bar from its crank, and so does a second joint between them: then it hangs on the rocker.
func TestHang(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	crank, coupler, rocker := m.Bodies[0].Name, m.Bodies[1].Name, m.Bodies[2].Name
	both := []string{fmt.Sprintf("2 %s:1 %s:0", crank, coupler), fmt.Sprintf("1 %s:0", rocker)}
	apart := []string{fmt.Sprintf("1 %s:0", crank), fmt.Sprintf("1 %s:0", rocker)}
	wide := mechanism.HangingRules{Freedoms: 2, Bodies: 2, Loops: 1, Others: 1}
	require.Equal(t, both, groupsOf(t, m, wide))
	require.Equal(t, both, groupsOf(t, m, mechanism.HangingRules{Freedoms: 9, Bodies: 9, Loops: math.MaxInt, Others: math.MaxInt}))
	for what, narrow := range map[string]func(r *mechanism.HangingRules){
		"freedoms": func(r *mechanism.HangingRules) { r.Freedoms = 1 },
		"bodies":   func(r *mechanism.HangingRules) { r.Bodies = 1 },
		"loops":    func(r *mechanism.HangingRules) { r.Loops = 0 },
		"others":   func(r *mechanism.HangingRules) { r.Others = 0 },
	} {
		rules := wide
		narrow(&rules)
		require.Equal(t, apart, groupsOf(t, m, rules), what)
	}
	second := *m
	for _, j := range m.Joints {
		if j.Predecessor == crank && j.Successor == coupler || j.Predecessor == coupler && j.Successor == crank {
			j.Name = "second"
			second.Joints = append(second.Joints[:len(second.Joints):len(second.Joints)], j)
		}
	}
	require.Len(t, second.Joints, len(m.Joints)+1)
	reverse := []string{fmt.Sprintf("1 %s:0", crank), fmt.Sprintf("2 %s:1 %s:0", rocker, coupler)}
	require.Equal(t, reverse, groupsOf(t, &second, mechanism.HangingRules{Freedoms: 9, Bodies: 9, Loops: 9, Others: 9}))
}
