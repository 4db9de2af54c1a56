// Package fault has what the messages of all packages share: how a name of a document is
// printed, which name an unknown one may be meant for, and how an error is wrapped without the prefix of its package.
package fault
