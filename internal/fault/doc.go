// Package fault forms parts of the messages of all packages: it prints a name of a document, suggests a known
// name in place of an unknown one, and wraps an error without the prefix of its package.
package fault
