// Package fault has what the messages of all packages share: how a name of a document is
// printed, and how an error is wrapped without the prefix of its package.
package fault
