package state

import (
	"encoding/json"
	"errors"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// stateChange is a command that reads a model and writes it in another state.
type stateChange struct {
	path   string // of the model
	output string // where the new one goes; empty: nowhere
	json   bool
}

// run reads the model, changes it, writes it unless change fails, and prints what change
// returns: the document with --json, else what print writes, nothing after an error. A
// change that has no document leaves only its error.
func (c *stateChange) run(cmd *cobra.Command, change func(m *model.Model, p *shell.Progress) (document any, print func(*sheet.Page), err error)) error {
	stdin, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(c.path, stdin, p)
	if err != nil {
		return err
	}
	out := new(shell.Output)
	if c.output != "" { // before anything is computed
		if out, err = shell.Create(c.output, stdout); err != nil {
			return err
		}
		defer out.Drop()
	}
	document, print, err := change(m, p)
	if document == nil {
		return err
	}
	if err == nil && c.output != "" {
		p.Stage("writing", int64(len(m.Bodies)+len(m.Joints)+len(m.Forces)))
		if err := out.Close(model.Write(shell.CountLines(out, p), m)); err != nil {
			return err
		}
	}
	p.End()
	if c.output == shell.Stdio {
		stdout = stderr
	}
	var e error
	switch {
	case c.json:
		e = shell.WriteJSON(stdout, document)
		if bad := new(json.UnsupportedValueError); errors.As(e, &bad) {
			e = shell.Failed("", ErrNotFinite)
		}
	case err == nil: // otherwise the message says it
		e = shell.Print(stdout, print)
	}
	if err != nil {
		return err
	}
	return e
}
