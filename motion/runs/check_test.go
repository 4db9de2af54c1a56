package runs_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestCheck: mistakes are found before a mechanism is looked at, and can be said in other words.
func TestCheck(t *testing.T) {
	files := func(f runs.Files) runs.Options { return runs.Options{Files: f} }
	for want, o := range map[string]runs.Options{
		"{Columns} chooses all columns":                                           {Columns: []string{"*"}, Bodies: []string{"a"}},
		"{Columns} has an empty name":                                             {Columns: []string{""}},
		"{Until} is not finite":                                                   {Until: math.NaN()},
		"{Integrator} is out of range":                                            {Integrator: 99},
		"{Stabilization} is out of range":                                         {Stabilization: 99},
		"{Method} is out of range":                                                {Method: 99},
		"{Start} is out of range":                                                 {Start: 99},
		"{Step} and {Tolerance} exclude each other":                               {Step: 1, Tolerance: 1},
		"rk4 has no error control: give {Step}":                                   {Integrator: runs.RungeKutta4},
		"{Every} -1 is not above 0 and finite":                                    {Every: -1},
		"{Tolerance} +Inf is not above 0":                                         {Tolerance: math.Inf(1)},
		"{Rho} is of generalized-alpha, not of dopri5":                            {Rho: 0.5},
		"{Rho} 1 is not in [0, 1)":                                                {Integrator: runs.GeneralizedAlpha, Rho: 1},
		"{Rattle} is of rattle, not of dopri5":                                    {Rattle: motion.RattleOptions{Damp: true}},
		"force-balance has a spanning tree of its own: {Method} is not for it":    {Integrator: runs.ForceBalance, Step: 1, Method: motion.TreeDirect},
		"force-balance has no accelerations":                                      {Integrator: runs.ForceBalance, Step: 1, Stabilization: runs.Baumgarte},
		"rattle closes the joints by itself":                                      {Integrator: runs.Rattle, Step: 1, Stabilization: runs.None},
		"generalized-alpha needs {Method} sparse":                                 {Integrator: runs.GeneralizedAlpha, Method: motion.TreeDirect},
		"generalized-alpha meets the joints by itself: {Stabilization} baumgarte": {Integrator: runs.GeneralizedAlpha, Stabilization: runs.Baumgarte},
		"{Stabilization} baumgarte needs {Method} sparse":                         {Method: motion.TreeDirect, Stabilization: runs.Baumgarte},
		"{Files.Trajectory} and {Files.CSV} exclude each other":                   files(runs.Files{Trajectory: "a.csv", CSV: new(strings.Builder)}),
		"a.txt: trajectories end in .csv":                                         files(runs.Files{Trajectory: "a.txt"}),
		"{Resume} and {Files.Resume} exclude each other":                          {Resume: new(sim.Checkpoint), Files: runs.Files{Resume: true}},
		"{Resume} needs a trajectory to go on with":                               {Resume: new(sim.Checkpoint), Files: runs.Files{CSV: new(strings.Builder)}},
		"{Files.Resume} needs {Files.Checkpoint}":                                 files(runs.Files{Resume: true}),
		"{Files.Checkpoint} needs a trajectory to go on with":                     files(runs.Files{CSV: new(strings.Builder), Checkpoint: "a"}),
		"{Files.Between} -1ns is negative":                                        files(runs.Files{Between: -1}),
		"{Files.Events} a.txt: the file ends in .csv":                             files(runs.Files{Events: "a.txt"}),
		"a.csv: the file of {Files.Contacts} would replace another":               files(runs.Files{Trajectory: "a.csv", Contacts: "a.csv"}),
	} {
		err := o.Check()
		require.Error(t, err, want)
		e := new(runs.OptionError)
		require.ErrorAs(t, err, &e, want)
		assert.Contains(t, e.In(func(field string) string { return "{" + field + "}" }), want)
		assert.Contains(t, err.Error(), "motion/runs: "+strings.NewReplacer("{", "", "}", "").Replace(want))
		assert.NotEmpty(t, e.Field)
	}
	for _, o := range []runs.Options{{}, {Step: 1, Integrator: runs.Rattle}, {Integrator: runs.GeneralizedAlpha, Annihilate: true}} {
		require.NoError(t, o.Check())
	}
}

// TestSpan: intervals and prices of the times of a run.
func TestSpan(t *testing.T) {
	o := runs.Options{Until: 3}
	require.NoError(t, o.Span(1))
	assert.Equal(t, 2./runs.OutputParts, o.Every)
	o = runs.Options{}
	require.NoError(t, o.Span(1), "the end is not known")
	assert.Zero(t, o.Every)
	for want, o := range map[string]runs.Options{
		"Every and Step have to be above the rounding of time":                             {Until: 1e6, Every: 1e-8},
		"Every 1e-09 over 1 s takes 1e+09 rows, more than 1e+08 rows: give a longer Every": {Until: 1, Every: 1e-9},
		"Step 1e-12 over 1 s takes 1e+12 steps":                                            {Until: 1, Every: 1, Step: 1e-12},
	} {
		assert.ErrorContains(t, o.Span(0), want)
	}
}

// TestNames: integrators and stabilizations are read back from their names.
func TestNames(t *testing.T) {
	for _, i := range runs.Integrators() {
		back, err := runs.ParseIntegrator(i.String())
		require.NoError(t, err)
		assert.Equal(t, i, back)
	}
	for _, s := range runs.Stabilizations() {
		back, err := runs.ParseStabilization(s.String())
		require.NoError(t, err)
		assert.Equal(t, s, back)
	}
	_, err := runs.ParseIntegrator("x")
	require.EqualError(t, err, `motion/runs: no integrator "x"; there are dopri5, rk4, generalized-alpha, force-balance, rattle`)
	assert.Equal(t, "Integrator(9)", runs.Integrator(9).String())
}

// TestColumnsOfWhatIsNotThere names what the mechanism has not.
func TestColumnsOfWhatIsNotThere(t *testing.T) {
	p := planOf(t, linkage(t))
	for want, o := range map[string]runs.Options{
		`motion/runs: Bodies: no body "x"`:                                                                            {Bodies: []string{"x"}},
		`motion/runs: Bodies: body "rod0" is given twice`:                                                             {Bodies: []string{"rod0", "rod0"}},
		`motion/runs: Bodies: the world does not move`:                                                                {Bodies: []string{"world"}},
		`motion/runs: Wrenches: no joint "x"`:                                                                         {Wrenches: []string{"x"}},
		`motion/runs: Multipliers: no coupling "x"`:                                                                   {Multipliers: []string{"x"}},
		`motion/runs: Files.Contacts writes what touches the ground: the model has no contact`:                        {Files: runs.Files{Contacts: "a.csv"}},
		`motion/runs: Files.Events writes what touches the ground or its stops: the model has no contact and no stop`: {Files: runs.Files{Events: "a.csv"}},
	} {
		_, err := runs.New(p, o)
		require.EqualError(t, err, want)
	}
	_, err := runs.New(p, runs.Options{Columns: []string{"nothing"}})
	require.ErrorContains(t, err, "no column \"nothing\"")
}

// TestMovers: each integrator moves the linkage as the default does.
func TestMovers(t *testing.T) {
	m := linkage(t)
	want := newRun(t, m, runs.Options{Tolerance: 1e-10})
	require.NoError(t, want.Run(0.2))
	for _, x := range []struct {
		o   runs.Options
		tol float64 // of the order and the step
	}{
		{runs.Options{Integrator: runs.RungeKutta4, Step: 1e-3}, 1e-8},
		{runs.Options{Method: motion.TreeLambda}, 1e-7},
		{runs.Options{Stabilization: runs.Baumgarte}, 1e-6},
		{runs.Options{Stabilization: runs.None}, 1e-6},
		{runs.Options{Integrator: runs.GeneralizedAlpha, Annihilate: true}, 1e-3},
		{runs.Options{Integrator: runs.Rattle, Step: 1e-3}, 1e-4},
		{runs.Options{Integrator: runs.ForceBalance, Step: 1e-4}, 1e-3},
	} {
		s := newRun(t, m, x.o)
		require.NoError(t, s.Run(0.2), "%v", x.o.Integrator)
		for i := range want.State().Bodies {
			assert.InDelta(t, 0, want.State().Bodies[i].Position.Sub(s.State().Bodies[i].Position).Norm(), x.tol, "%v %v", x.o.Integrator, x.o.Stabilization)
		}
		assert.Equal(t, x.o.RelativeTolerance() == 0, s.Tolerance() == 0)
	}
}
