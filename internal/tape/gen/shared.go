package main

import (
	"strings"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// sharedText returns the Go tables sharedForms and sharedOperands of package tape.
func sharedText(list []*lines.Kernel) string {
	text := "\n// sharedForms are the codes of the second forms, and sharedOperands the operands A to F of a code that are shared numbers, a bit each.\n"
	forms, operands := "var sharedForms = [numCodes]Code{\n", "var sharedOperands = [numCodes]uint8{\n"
	for _, k := range list {
		if k.Shared == "" {
			continue
		}
		// An instruction that is always on shared numbers is its own second form.
		forms += "\t" + strings.TrimSuffix(k.Name, lines.SharedName) + ": " + k.Name + ",\n"
		var bits []string
		for _, p := range k.Shared {
			bits = append(bits, "1<<"+string('0'+p-'A'))
		}
		operands += "\t" + k.Name + ": " + strings.Join(bits, "|") + ",\n"
	}
	return text + "var (\n" + strings.TrimPrefix(forms, "var ") + "}\n" + strings.TrimPrefix(operands, "var ") + "}\n)\n"
}
