// Package xmltree reads XML into trees of small nodes with their positions, and records which of them a reader has
// used: each element and each attribute ends in one class of package source.
//
//	root, err := xmltree.Parse("arm.xml", data)
//	var report source.Report
//	v := xmltree.Values{Report: &report}
//	mass := v.Number(root.Use(), "mass", 1)
//	xmltree.Account(root, table, &report) // reports everything that has not been read
//
// Entities beyond the five of XML, document types and encodings other than UTF-8, ASCII and ISO-8859-1 are refused.
package xmltree
