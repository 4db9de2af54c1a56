// Package sdf reads SDFormat, versions 1.4 to 1.12: models and worlds with their frames, included and nested models,
// all types of joints, and the plugins that hold links together.
//
// Every joint becomes a joint: loops need no mark. Links of static models belong to the ground. Poses are those of the
// file, with all coordinates zero.
package sdf
