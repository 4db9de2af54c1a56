// Package modeltest makes models for tests: random mechanisms, documents with extreme numbers, and variants of the models in the
// folder reference.
package modeltest
