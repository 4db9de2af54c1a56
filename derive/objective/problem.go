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

// Source is the model of an objective, with the files that model and objective name.
type Source struct {
	Text   []byte // the document, rung-model/1
	Name   string // name of its file in messages
	Folder fs.FS  // folder of the files that the model names; nil: it names none
	Data   fs.FS  // folder of the objective's document, for files of data and the task; nil: it names none

	Ordering order.Ordering // ordering of the plan

	kept kept
}

// Problem is an objective with its mechanism. It belongs to one goroutine.
type Problem struct {
	o      *Objective
	file   string
	source Source
	parts  []*Problem // one for each of several runs; the problem itself then has nothing below except the model and the numbers
	plan   *kkt.Plan
	mech   *mechanism.Mechanism
	doc    *model.Model

	d          *derive.Derivatives
	terms      []*Term         // terms, then the terms of the constraints
	data       []*record       // one a term; nil without data
	outputs    []derive.Output // one a term, except for AtModes
	modes      []modeColumn    // one a term for AtModes
	parameters [][]*derive.Parameter
	text       *numbers.Text
	task       *reaching          // for AtReach
	numbers    [][]numbers.Number // numbers of each parameter in text
	values     [][]float64        // their values in the model
	ending     *ending            // nil: a run ends at its time
	held       []int              // bodies that are held
	fixed      map[string]string  // places of numbers that the experiment sets, with the path in the objective that sets them
	closes     sim.Start          // how a run treats a start that violates the joints
	files      records            // data that have been read
	memory     int64              // memory limit for the states of a run, bytes; 0 stands for adjoint.DefaultMemory
	past       *past              // of the last run, also of copies of the problem
	ran        *course            // the last run without slopes, unless it is large (ranOnce)
}

// taskPrefix is the beginning of paths to numbers of the task.
const taskPrefix = "task."

// reaching is the task of inverse kinematics for AtReach.
type reaching struct {
	problem *ik.Problem
	text    *numbers.Text
}

// kept is what the problem of a changed model keeps from the problem of the document.
type kept struct {
	lengths []float64 // by parameter: length of its orientation before it was normalized; nil: all are 1
	task    []byte    // changed text of the task; nil: the file is read
	length  float64   // length by which the task multiplies angles, m; 0: the model's
	held    []float64 // coordinates of the freedoms that the task holds
}

// Model returns the model of the objective. The caller must not change it.
func (g *Problem) Model() *model.Model { return g.doc }

// Values returns the values of the parameters in the model.
func (g *Problem) Values() []float64 {
	list := make([]float64, len(g.values))
	for k := range list {
		list[k] = g.values[k][0]
	}
	return list
}

// Objective returns the objective. The caller must not change it.
func (g *Problem) Objective() *Objective { return g.o }
