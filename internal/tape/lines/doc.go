// Package lines describes the instructions of package tape, each as lines of lane operations. Command gen prints the lines as assembly.
// Package tape runs them as they stand where there is no assembly.
package lines
