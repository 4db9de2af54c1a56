// Package formats reads files of foreign formats as models, by what is
// in them: MJCF, URDF, SDFormat, and assemblies of FreeCAD and Ondsel.
package formats
