// Package lines describes the instructions of package tape and the functions of package lanes, each as lines of lane operations.
// Command gen prints the lines as assembly. Without assembly, package tape interprets the lines of its instructions.
package lines
