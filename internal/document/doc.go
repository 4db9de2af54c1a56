// Package document reads JSON documents of various formats. Unknown, repeated and missing fields, values of the
// wrong type and numbers out of range are all found at once, each with its JSON path. The text is parsed token by token
// according to RFC 8259, and each token has a line and a column. Text that is not valid UTF-8 is refused.
package document
