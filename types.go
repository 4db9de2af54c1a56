package rung

import (
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// The types of package kkt that most programs need.
type (
	Options = kkt.Options // how a mechanism is solved
	Plan    = kkt.Plan    // what does not depend on the state
	Solver  = kkt.Solver  // the memory of one goroutine
	Report  = kkt.Report  // rank, redundant joints, undetermined reactions
)

// The types of package build.
type (
	Builder = build.Builder // makes a model in Go
	Body    = build.Body    // handle of a body
	Place   = build.Place   // frame in the world
	Spring  = build.Spring  // parameters of Builder.SpringDamper
	Term    = build.Term    // of Builder.Couple
	Ground  = build.Ground  // handle of a terrain
	Through = build.Through // point of Builder.Cable
)

// World is the handle of the fixed frame.
var World = build.World

// Error is an error with its place: the joint and its row, the body or the force element.
// errors.As finds it in the errors of all packages that work on a mechanism.
type Error = mechanism.Error
