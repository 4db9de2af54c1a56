package rung

import (
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/results"
)

// Options is kkt.Options: how a mechanism is solved. The zero value is the default.
type Options = kkt.Options

// Plan is kkt.Plan: the analysis of a mechanism that does not depend on the state. It is immutable, and goroutines may share it. Its
// methods are
//
//   - what is solved: Mechanism, Initial (the state of the model), Options
//   - work for one goroutine: NewSolver, NewInverse (forces for wanted accelerations), NewResponse
//   - what it costs: Counts, Ordering, Order, Candidates
//   - the same analysis for other inputs: With
//
// and more for packages that build on it: go doc kkt.Plan.
type Plan = kkt.Plan

// Solver is kkt.Solver: the memory of one goroutine. Call Solve first; the results of the other methods then belong to the state
// that Solve was given, until the next Solve.
//
//   - solve: Solve, SolveContext
//   - bodies: ComAcceleration, AngularAcceleration, AccelerationsTo
//   - joints: ConstraintWrench, TotalWrench, Reactions with their parts
//   - couplings: Reactions
//   - explain: Report, ReportContext, Inconsistency, Holds
//
// and more for packages that build on it: go doc kkt.Solver.
type Solver = kkt.Solver

// Report is kkt.Report: rank, redundant rows by joint, undetermined reactions, distance to a singularity. Its methods tell of one joint:
//
//   - Unique, UndeterminedComponents
type Report = kkt.Report

// Builder is build.Builder: it makes a model in Go. Bodies and joints are given where they are in the world. Its methods add
//
//   - bodies: Body, Rod, Extrude, Composite, and their velocities: Move
//   - joints by type: Revolute, Prismatic, Helical, Cylindrical, Universal, Planar, Spherical, Fixed, Free, Distance,
//     SphereInCylinder, PointOnPlane, PointOnCurve, CurveOnCurve, Rolling, RollingOn, NoSlip, CompositeJoint; any type at a Place: Joint
//   - equations between coordinates: Couple
//   - forces: Gravity, SpringDamper, Law, Wrench, Bushing, Cable, Motor
//   - the ground: Terrain, Surface, Contact
//   - what is seen and named: Visual, Frame
//
// and Model returns the model, or all problems together.
type Builder = build.Builder

// Body is build.Body: the handle of a body of a Builder.
//
//   - its number in the model: Index
type Body = build.Body

// Joint is build.Joint: the handle of a joint of a Builder, with the fields of a model.Joint: Force, Spring, Motion, Limits and others.
//
//   - its number in the model: Index
type Joint = build.Joint

// Coupling is build.Coupling: the handle of a coupling of a Builder, with its Offset.
//
//   - a polynomial of a coordinate: Follow
//   - a law of one or two of them: FollowLaw
//   - its number in the model: Index
type Coupling = build.Coupling

// Ground is build.Ground: the handle of a terrain of a Builder, for Builder.Contact.
type Ground = build.Ground

// Place is build.Place: a frame in the world, by its origin and its axes. At makes one with the axes of the world.
//
//   - other axes: WithX, WithZ, WithXY, WithZX
type Place = build.Place

// Spring is build.Spring: the stiffness (N/m), damping (N s/m) and length at rest (m) of Builder.SpringDamper.
type Spring = build.Spring

// Term is build.Term: a factor times the coordinate of a freedom of a joint, for Builder.Couple.
type Term = build.Term

// Coordinate is build.Coordinate: the coordinate of a freedom of a joint, for Coupling.FollowLaw.
type Coordinate = build.Coordinate

// Through is build.Through: a point of a cable, on a body and in the world, for Builder.Cable.
type Through = build.Through

// World is the handle of the fixed frame.
var World = build.World

// Error is mechanism.Error: an error with its place, which is the joint and its row, the body or the force element.
// errors.As finds it in the errors of all packages that work on a mechanism.
type Error = mechanism.Error

// Result is results.Document: the forward dynamics of one state with names, the document that "rung accel --json" prints. Its parts
// are types of package results.
//
//   - by name: Body, Joint
//   - whether a field is in the document: Knows
type Result = results.Document
