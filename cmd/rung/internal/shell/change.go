package shell

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/model"
)

// StateChange is a command that reads a model and writes it in another state.
type StateChange struct {
	Path   string // of the model
	Output string // of the changed model; "": it is not written
	JSON   bool   // print the document as JSON
	Always bool   // print for people even after an error
}

// Change reads the model, changes it by change and, unless that fails, writes it. Then it prints the document that change has
// returned: as JSON, or for people by print, which it does not call after an error unless c.Always. If change returns no
// document, Change only returns the error.
func Change[D any](cmd *cobra.Command, c *StateChange, change func(*model.Model, *Progress) (*D, error), print func(*sheet.Page, *D)) error {
	if err := CheckNewModel(c.Output, c.JSON); err != nil {
		return err
	}
	in, stdout, stderr := Streams(cmd)
	p := NewProgress(stderr)
	defer p.End()
	m, err := ReadModel(c.Path, in, p)
	if err != nil {
		return err
	}
	out := new(Output)
	if c.Output != "" { // before the change, so that a file that cannot be written costs no time
		if out, err = Create(c.Output, stdout); err != nil {
			return err
		}
		defer out.Drop()
	}
	document, err := change(m, p)
	if document == nil {
		return err
	}
	if err == nil && c.Output != "" {
		p.Stage("writing", int64(len(m.Bodies)+len(m.Joints)+len(m.Forces)))
		if err := out.Close(model.Write(CountLines(out, p), Rehome(m, c.Path, c.Output))); err != nil {
			return err
		}
	}
	p.End()
	if c.Output == Stdio {
		stdout = stderr
	}
	var e error
	switch {
	case c.JSON:
		e = WriteJSON(stdout, document)
		if bad := new(json.UnsupportedValueError); errors.As(e, &bad) {
			e = Failed("", ErrNotFinite)
		}
	case err == nil || c.Always: // else the error message is enough
		e = Print(stdout, func(p *sheet.Page) { print(p, document) })
	}
	if err != nil {
		return err
	}
	return e
}
