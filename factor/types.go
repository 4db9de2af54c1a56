package factor

import (
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/internal/team"
)

// Team is a fixed set of goroutines that workspaces of one owner share, such as a Factor and
// the system that it factors (NewFactorOn, assemble.Layout.NewWeightedOn). It serves one of them at a
// time.
type Team = team.Team

// NewTeam returns a team of n goroutines, the caller's among them. They end when the team is
// not used any more.
//
// It panics if n is not positive.
func NewTeam(n int) *Team { return team.New(n) }

// Num is a number of 32 digits, the sum of two doubles: Hi is the sum rounded, Lo what that
// leaves.
type Num = dd.Num
