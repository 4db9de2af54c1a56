// Package fmu makes functional mock-up units of models: zip files that simulation tools load, by the standards FMI 2.0 and 3.0.
// A unit for co-simulation contains the integrator, events and projection of runs. A unit for model exchange returns the derivatives
// of independent coordinates and rates (door.Reduced), if the model has such coordinates.
//
//	made, err := fmu.Write(ctx, w, m, folder, fmu.Options{Version: 3, Inputs: []string{"joints[crank].force[0]"}})
//
// Write makes the file. When a tool loads it, the library in the file calls Open, which reads the folder resources of
// the unpacked file and returns a Unit; OpenExchange returns a Unit for model exchange.
//
// # Variables
//
// All variables are real numbers. The value reference 0 is the time; inputs, parameters and outputs follow in the order
// of Options. Inputs and parameters are knobs of package door, and outputs are columns of package sim. Angles of joints are
// counted over turns, as runs count them. Then come states, their derivatives and event indicators.
//
// # Files
//
// resources/model.json is the model; resources/wiring.json, of the format rung-fmu/1, has the variables and the options of the
// run; files/N in resources are terrains and curves that the model names. The token of a unit is a digest of all these files: an
// edited file is refused.
//
// Frame: world axes. Units: SI. Errors are as in package door, with its statuses.
package fmu
