package ik

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
)

var (
	methodNames = [NumMethods]string{"auto", "fik", "dls", "pinv", "transpose", "constant", "adaptive", "selective", "sparse"}
	engineNames = [NumEngines]string{"auto", "tree", "driven", "sparse"}
	metricNames = [...]string{"turns", "joints", "inertia"}
	formNames   = [NumForms]string{"variable", "fixed"}
	designNames = [NumDesigns]string{"riccati", "norm", "tune", "given"}
)

// String returns the name of rung-ik/1.
func (m Method) String() string { return nameOf(methodNames[:], m, "Method") }

// String returns the name of rung-ik/1.
func (e Engine) String() string { return nameOf(engineNames[:], e, "Engine") }

// String returns the name of rung-ik/1.
func (m Metric) String() string { return nameOf(metricNames[:], m, "Metric") }

// String returns the name of rung-ik/1.
func (f Form) String() string { return nameOf(formNames[:], f, "Form") }

// String returns the name of rung-ik/1.
func (d Design) String() string { return nameOf(designNames[:], d, "Design") }

func nameOf[T ~uint8](names []string, x T, of string) string {
	if int(x) >= len(names) {
		return fmt.Sprintf("%s(%d)", of, x)
	}
	return names[x]
}

// ParseMethod returns the method of a name. It returns an error that lists the names if there is none.
func ParseMethod(name string) (Method, error) { return parse[Method](methodNames[:], name, "method") }

// ParseEngine returns the engine of a name. It returns an error that lists the names if there is none.
func ParseEngine(name string) (Engine, error) { return parse[Engine](engineNames[:], name, "engine") }

func parse[T ~uint8](names []string, name, of string) (T, error) {
	for i, n := range names {
		if n == name {
			return T(i), nil
		}
	}
	return 0, errors.New(fault.NoneOf(of, name, names))
}

// MethodNames returns the names of the methods.
func MethodNames() []string { return slices.Clone(methodNames[:]) }

// EngineNames returns the names of the engines.
func EngineNames() []string { return slices.Clone(engineNames[:]) }
