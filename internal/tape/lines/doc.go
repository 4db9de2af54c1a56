// Package lines describes the instructions of package tape and the functions of package lanes, each as lines of lane operations.
// Command gen prints the lines as assembly. Package tape runs its own as they stand where there is no assembly.
package lines
