package rung

import "runtime/debug"

// modulePath is the path of this module.
const modulePath = "github.com/rung-mbd/rung"

// Version returns the version of this module in the program that calls it, such as v0.1.0; "(devel)" where it was built from a folder that
// tells none.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	m := &info.Main
	for _, d := range info.Deps {
		if d.Path == modulePath {
			m = d
		}
	}
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" {
		return "(devel)"
	}
	return m.Version
}
