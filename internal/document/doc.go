// Package document reads JSON documents of one format or another: unknown, repeated and missing fields, values of the
// wrong type and numbers out of range are all found at once, each with its JSON path. The text is taken apart as RFC 8259
// has it, token by token, with places; what is no UTF-8 is refused.
package document
