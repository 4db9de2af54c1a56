// Package modeltest makes models for tests from those of the folder reference: documents with extreme numbers, and a
// linkage that is nearly singular.
package modeltest
