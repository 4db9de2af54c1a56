package main

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/model"
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
func (c *stateChange) run(cmd *cobra.Command, change func(m *model.Model, p *progress) (document any, print func(io.Writer) error, err error)) error {
	stdin, stdout, stderr := streams(cmd)
	p := newProgress(stderr)
	defer p.end()
	m, err := readModel(c.path, stdin, p)
	if err != nil {
		return err
	}
	out := new(output)
	if c.output != "" { // before anything is computed
		if out, err = create(c.output, stdout); err != nil {
			return err
		}
		defer out.drop()
	}
	document, print, err := change(m, p)
	if document == nil {
		return err
	}
	if err == nil && c.output != "" {
		p.stage("writing", int64(len(m.Bodies)+len(m.Joints)+len(m.Forces)))
		if err := out.close(model.Write(&lineCounter{out, p}, m)); err != nil {
			return err
		}
	}
	p.end()
	if c.output == stdio {
		stdout = stderr
	}
	e := writeFile(stdio, stdout, func(w io.Writer) error {
		switch {
		case c.json:
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			err := e.Encode(document)
			if bad := new(json.UnsupportedValueError); errors.As(err, &bad) {
				return errNotFinite
			}
			return err
		case err != nil:
			return nil // the message says it
		}
		return print(w)
	})
	if err != nil {
		return err
	}
	return e
}
