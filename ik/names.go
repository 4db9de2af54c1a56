package ik

import (
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
)

var (
	methodNames = [NumMethods]string{"auto", "fik", "dls", "pinv", "transpose", "constant", "adaptive", "selective", "sparse"}
	engineNames = [NumEngines]string{"auto", "tree", "driven", "sparse"}
	metricNames = [...]string{"turns", "joints", "inertia"}
)

// String returns the name in rung-ik/1.
func (m Method) String() string { return fault.Enum(methodNames[:], m, "Method") }

// String returns the name in rung-ik/1.
func (e Engine) String() string { return fault.Enum(engineNames[:], e, "Engine") }

// String returns the name in rung-ik/1.
func (m Metric) String() string { return fault.Enum(metricNames[:], m, "Metric") }

// ParseMethod returns the method of a name. It returns an error that lists the names if there is none.
func ParseMethod(name string) (Method, error) {
	return fault.Parse[Method]("", "method", name, methodNames[:])
}

// ParseEngine returns the engine of a name. It returns an error that lists the names if there is none.
func ParseEngine(name string) (Engine, error) {
	return fault.Parse[Engine]("", "engine", name, engineNames[:])
}

// MethodNames returns the names of the methods.
func MethodNames() []string { return slices.Clone(methodNames[:]) }

// EngineNames returns the names of the engines.
func EngineNames() []string { return slices.Clone(engineNames[:]) }
