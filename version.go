package rung

import "runtime/debug"

// modulePath is the path of this module.
const modulePath = "github.com/rung-mbd/rung"

// Version returns the version of this module in the calling program, such as v0.1.0, or "(devel)" if the program was built from a
// folder without a version.
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
