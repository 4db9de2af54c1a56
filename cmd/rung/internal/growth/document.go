package growth

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// writeBench writes doc with a line for each record and fit.
func writeBench(w io.Writer, doc *BenchDocument) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "{")
	err := errors.Join(
		jsonMember(b, "records", doc.Records),
		jsonMember(b, "fits", doc.Fits),
	)
	if len(doc.Crossovers) > 0 { // several methods
		err = errors.Join(err, jsonMember(b, "crossovers", doc.Crossovers))
	}
	if len(doc.Comparisons) > 0 {
		err = errors.Join(err, jsonMember(b, "comparisons", doc.Comparisons))
	}
	if doc.Ranks != nil {
		line, e := json.Marshal(doc.Ranks)
		fmt.Fprintf(b, ",\n \"ranks\": %s", line)
		err = errors.Join(err, e)
	}
	fmt.Fprint(b, "\n}\n")
	return errors.Join(err, b.Flush())
}

// jsonMember writes a member of the document, a line for each element; the first
// member is records.
func jsonMember[T any](w io.Writer, name string, list []T) error {
	sep := ","
	if name == "records" {
		sep = ""
	}
	fmt.Fprintf(w, "%s\n %q: [", sep, name)
	if err := jsonLines(w, list); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "]")
	return err
}

func jsonLines[T any](w io.Writer, list []T) error {
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return err
		}
		sep := ",\n  "
		if i == 0 {
			sep = "\n  "
		}
		fmt.Fprintf(w, "%s%s", sep, line)
	}
	if len(list) > 0 {
		fmt.Fprint(w, "\n ")
	}
	return nil
}
