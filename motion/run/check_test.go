package run_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/run"
	"github.com/rung-mbd/rung/sim"
)

// TestCheck: mistakes are found before a mechanism is looked at, and can be said in other words.
func TestCheck(t *testing.T) {
	files := func(f run.Files) run.Options { return run.Options{Files: f} }
	for want, o := range map[string]run.Options{
		"{Columns} chooses all columns":                                           {Columns: []string{"*"}, Bodies: []string{"a"}},
		"{Columns} has an empty name":                                             {Columns: []string{""}},
		"{Until} is not finite":                                                   {Until: math.NaN()},
		"{Integrator} is out of range":                                            {Integrator: 99},
		"{Stabilization} is out of range":                                         {Stabilization: 99},
		"{Method} is out of range":                                                {Method: 99},
		"{Step} and {Tolerance} exclude each other":                               {Step: 1, Tolerance: 1},
		"rk4 has no error control: give {Step}":                                   {Integrator: run.RungeKutta4},
		"{Every} -1 is not above 0 and finite":                                    {Every: -1},
		"{Tolerance} +Inf is not above 0":                                         {Tolerance: math.Inf(1)},
		"{Rho} is of generalized-alpha, not of dopri5":                            {Rho: 0.5},
		"{Rho} 1 is not in [0, 1)":                                                {Integrator: run.GeneralizedAlpha, Rho: 1},
		"{Rattle} is of rattle, not of dopri5":                                    {Rattle: motion.RattleOptions{Damp: true}},
		"force-balance has a spanning tree of its own: {Method} is not for it":    {Integrator: run.ForceBalance, Step: 1, Method: motion.TreeDirect},
		"force-balance has no accelerations":                                      {Integrator: run.ForceBalance, Step: 1, Stabilization: run.Baumgarte},
		"rattle closes the joints by itself":                                      {Integrator: run.Rattle, Step: 1, Stabilization: run.None},
		"generalized-alpha needs {Method} sparse":                                 {Integrator: run.GeneralizedAlpha, Method: motion.TreeDirect},
		"generalized-alpha meets the joints by itself: {Stabilization} baumgarte": {Integrator: run.GeneralizedAlpha, Stabilization: run.Baumgarte},
		"{Stabilization} baumgarte needs {Method} sparse":                         {Method: motion.TreeDirect, Stabilization: run.Baumgarte},
		"{Files.Trajectory} and {Files.CSV} exclude each other":                   files(run.Files{Trajectory: "a.csv", CSV: new(strings.Builder)}),
		"a.txt: trajectories end in .csv":                                         files(run.Files{Trajectory: "a.txt"}),
		"{Files.Resume} needs {Files.Checkpoint}":                                 files(run.Files{Resume: true}),
		"{Files.Checkpoint} needs a trajectory to go on with":                     files(run.Files{CSV: new(strings.Builder), Checkpoint: "a"}),
		"{Files.Between} -1ns is negative":                                        files(run.Files{Between: -1}),
		"{Files.Events} a.txt: the file ends in .csv":                             files(run.Files{Events: "a.txt"}),
		"a.csv: the file of {Files.Contacts} would replace another":               files(run.Files{Trajectory: "a.csv", Contacts: "a.csv"}),
	} {
		err := o.Check()
		require.Error(t, err, want)
		e := new(run.OptionError)
		require.ErrorAs(t, err, &e, want)
		assert.Contains(t, e.In(func(field string) string { return "{" + field + "}" }), want)
		assert.Contains(t, err.Error(), "motion/run: "+strings.NewReplacer("{", "", "}", "").Replace(want))
		assert.NotEmpty(t, e.Field)
	}
	for _, o := range []run.Options{{}, {Step: 1, Integrator: run.Rattle}, {Integrator: run.GeneralizedAlpha, Annihilate: true}} {
		require.NoError(t, o.Check())
	}
}

// TestSpan: intervals and prices of the times of a run.
func TestSpan(t *testing.T) {
	o := run.Options{Until: 3}
	require.NoError(t, o.Span(1))
	assert.Equal(t, 2./run.OutputParts, o.Every)
	o = run.Options{}
	require.NoError(t, o.Span(1), "the end is not known")
	assert.Zero(t, o.Every)
	for want, o := range map[string]run.Options{
		"Every and Step have to be above the rounding of time":                             {Until: 1e6, Every: 1e-8},
		"Every 1e-09 over 1 s takes 1e+09 rows, more than 1e+08 rows: give a longer Every": {Until: 1, Every: 1e-9},
		"Step 1e-12 over 1 s takes 1e+12 steps":                                            {Until: 1, Every: 1, Step: 1e-12},
	} {
		assert.ErrorContains(t, o.Span(0), want)
	}
}

// TestNames: integrators and stabilizations are read back from their names.
func TestNames(t *testing.T) {
	for _, i := range run.Integrators() {
		back, err := run.ParseIntegrator(i.String())
		require.NoError(t, err)
		assert.Equal(t, i, back)
	}
	for _, s := range run.Stabilizations() {
		back, err := run.ParseStabilization(s.String())
		require.NoError(t, err)
		assert.Equal(t, s, back)
	}
	_, err := run.ParseIntegrator("x")
	require.EqualError(t, err, `motion/run: no integrator "x"; there are dopri5, rk4, generalized-alpha, force-balance, rattle`)
	assert.Equal(t, "Integrator(9)", run.Integrator(9).String())
}

// TestColumnsOfWhatIsNotThere names what the mechanism has not.
func TestColumnsOfWhatIsNotThere(t *testing.T) {
	p := planOf(t, linkage(t))
	for want, o := range map[string]run.Options{
		`motion/run: Bodies: no body "x"`:                                                                            {Bodies: []string{"x"}},
		`motion/run: Bodies: body "rod0" is given twice`:                                                             {Bodies: []string{"rod0", "rod0"}},
		`motion/run: Bodies: the world does not move`:                                                                {Bodies: []string{"world"}},
		`motion/run: Wrenches: no joint "x"`:                                                                         {Wrenches: []string{"x"}},
		`motion/run: Multipliers: no coupling "x"`:                                                                   {Multipliers: []string{"x"}},
		`motion/run: Files.Contacts writes what touches the ground: the model has no contact`:                        {Files: run.Files{Contacts: "a.csv"}},
		`motion/run: Files.Events writes what touches the ground or its stops: the model has no contact and no stop`: {Files: run.Files{Events: "a.csv"}},
	} {
		_, err := run.New(p, o)
		require.EqualError(t, err, want)
	}
	_, err := run.New(p, run.Options{Columns: []string{"nothing"}})
	require.ErrorAs(t, err, new(*sim.UnknownColumn))
}

// TestMovers: each integrator moves the linkage as the default does.
func TestMovers(t *testing.T) {
	m := linkage(t)
	want := newRun(t, m, run.Options{Tolerance: 1e-10})
	require.NoError(t, want.Run(0.2))
	for _, x := range []struct {
		o   run.Options
		tol float64 // of the order and the step
	}{
		{run.Options{Integrator: run.RungeKutta4, Step: 1e-3}, 1e-8},
		{run.Options{Method: motion.TreeLambda}, 1e-7},
		{run.Options{Stabilization: run.Baumgarte}, 1e-6},
		{run.Options{Stabilization: run.None}, 1e-6},
		{run.Options{Integrator: run.GeneralizedAlpha, Annihilate: true}, 1e-3},
		{run.Options{Integrator: run.Rattle, Step: 1e-3}, 1e-4},
		{run.Options{Integrator: run.ForceBalance, Step: 1e-4}, 1e-3},
	} {
		s := newRun(t, m, x.o)
		require.NoError(t, s.Run(0.2), "%v", x.o.Integrator)
		for i := range want.State().Bodies {
			assert.InDelta(t, 0, want.State().Bodies[i].Position.Sub(s.State().Bodies[i].Position).Norm(), x.tol, "%v %v", x.o.Integrator, x.o.Stabilization)
		}
		assert.Equal(t, x.o.RelativeTolerance() == 0, s.Tolerance() == 0)
	}
}
