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
	Output string // where the new one goes; empty: nowhere
	JSON   bool
	Always bool // print for people after an error, too
}

// Change reads the model, changes it, writes it unless change fails, and prints what change returns: the document with
// --json, else what print writes, nothing after an error unless Always. A change without a document leaves only its error.
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
	if c.Output != "" { // before anything is computed
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
	case err == nil || c.Always: // otherwise the message says it
		e = Print(stdout, func(p *sheet.Page) { print(p, document) })
	}
	if err != nil {
		return err
	}
	return e
}
