package answers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestFollowEnds: the way to a time that is near in doubles ends with an error where a motion jumps, though steps are lost beside the time
// before they are short enough to be given up.
func TestFollowEnds(t *testing.T) {
	m := model.New("jump")
	m.Time = 1000
	m.Bodies = append(m.Bodies, model.Body{Name: "crank", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	m.Joints = append(m.Joints, model.Joint{
		Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "crank",
		Motion: []*model.Motion{{Kind: joints.Polynomial, Coefficients: []float64{-1e17, 1e14}}},
	})
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	end := 1000.00000001
	_, err = answers.SolveInverse(ctx, mech, mech.Initial(), answers.InverseOptions{Time: &end})
	if err == nil || !strings.Contains(err.Error(), "a motion jumps") {
		t.Error(err)
	}
	if ctx.Err() != nil {
		t.Error(ctx.Err())
	}
}
