package objective

import (
	"io/fs"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/numbers"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// Source is the model of an objective.
type Source struct {
	Text   []byte // the document, rung-model/1
	Name   string // of its file, in messages
	Folder fs.FS  // of the files that it names; nil: it names none
	Data   fs.FS  // the folder of the objective's document, for files of data and the task; nil: there are none

	Ordering order.Ordering // of the plan

	kept kept
}

// Problem is an objective of a mechanism. It belongs to one goroutine.
type Problem struct {
	o      *Objective
	file   string
	source Source
	parts  []*Problem // one an experiment, where there are several runs; then nothing below but the model and the numbers
	plan   *kkt.Plan
	mech   *mechanism.Mechanism
	doc    *model.Model

	d          *derive.Derivatives
	terms      []*Term         // and those of the constraints behind them
	data       []*record       // one a term, nil for others
	outputs    []derive.Output // one a term, but of modes
	modes      []modeColumn    // one a term of modes
	parameters [][]*derive.Parameter
	text       *numbers.Text
	task       *reaching          // of AtReach
	numbers    [][]numbers.Number // of the parameters, in text
	values     [][]float64        // that these have in the model
	ending     *ending            // nil: a run goes to its time
	held       []int              // bodies
	fixed      map[string]string  // places of numbers that a run has for itself, with where the objective says so
	closes     sim.Start          // what a run does with a start that is open
	files      records
	memory     int64   // bytes that states of a run may take; 0 stands for adjoint.DefaultMemory
	ran        *course // the run of the last Residuals without slopes, unless it is large
}

// taskPrefix begins the paths of numbers of the task.
const taskPrefix = "task."

// reaching is a task of inverse kinematics, of AtReach.
type reaching struct {
	problem *ik.Problem
	text    *numbers.Text
}

// kept is what a changed problem keeps of the one of the document.
type kept struct {
	lengths []float64 // by parameter, of the orientation that has been made 1; nil: all are 1
	task    []byte    // its text, changed; nil: it is read
	length  float64   // that makes angles into lengths, m; 0: the model's
	held    []float64 // coordinates of the held freedoms
}

// Model returns the model of the objective. It is not to be changed.
func (g *Problem) Model() *model.Model { return g.doc }

// Values returns the values of the parameters in the model.
func (g *Problem) Values() []float64 {
	list := make([]float64, len(g.values))
	for k := range list {
		list[k] = g.values[k][0]
	}
	return list
}

// Objective returns the objective. It is not to be changed.
func (g *Problem) Objective() *Objective { return g.o }
