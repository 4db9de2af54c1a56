package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/replace"
)

// Write writes c with a checksum, for DecodeCheckpoint and ReadCheckpoint. If c has a number that is not finite, it
// writes nothing and returns an error that wraps ErrCheckpoint. It returns the errors of w.
func (c *Checkpoint) Write(w io.Writer) error {
	if err := c.checkFinite(); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return fault.Errorf("sim: checkpoint: %w", err)
	}
	_, err = w.Write(document.Seal(data))
	return err
}

// WriteCheckpoint writes c to a file. The file is replaced atomically: whenever
// the process ends, it holds the old checkpoint or the new one. Of several writers, the last to end determines it.
//
// It returns the errors of Checkpoint.Write and of the system.
func WriteCheckpoint(path string, c *Checkpoint) error { return replace.Write(path, c.Write) }

// ReadCheckpoint reads a file that WriteCheckpoint has written.
//
// It returns the errors of DecodeCheckpoint, with the name of the file, and errors of opening it.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing has been written
	c, err := DecodeCheckpoint(f)
	if err != nil {
		return nil, fault.Errorf("sim: %s: %w", path, err)
	}
	return c, nil
}

// headBytes is the number of bytes that are read before the beginning is checked.
const headBytes = 1 << 16

// DecodeCheckpoint reads a checkpoint that Checkpoint.Write has written, up to the end of r: from memory, an archive, a connection.
//
// It refuses other data after the first 64 KiB. For a checkpoint it needs some ten times the bytes of r in memory, and at most a
// hundred times: use an io.LimitReader for untrusted data. Simulation.Restore checks whether the values are possible
// for a run.
//
// If r has no checkpoint or a damaged one, it returns an error that wraps ErrCheckpoint and names the place and the value there.
// It also returns the errors of r. It panics if r is nil.
func DecodeCheckpoint(r io.Reader) (*Checkpoint, error) {
	if r == nil {
		panic("sim: no reader")
	}
	head, err := io.ReadAll(io.LimitReader(r, headBytes))
	if err != nil {
		return nil, fault.Errorf("sim: checkpoint: %w", err)
	}
	data := bytes.NewBuffer(head)
	if bytes.HasPrefix(head, []byte(checkpointHead)) {
		if _, err := data.ReadFrom(r); err != nil {
			return nil, fault.Errorf("sim: checkpoint: %w", err)
		}
	} else if len(head) == headBytes {
		return nil, fault.Errorf("sim: %w: it does not begin with %s", ErrCheckpoint, checkpointHead)
	}
	return decodeCheckpoint(data.Bytes())
}

// checkpointHead is the beginning of a file.
const checkpointHead = `{"format":"` + checkpointFormat + `"`

// decodeCheckpoint is DecodeCheckpoint for a text in memory.
func decodeCheckpoint(data []byte) (*Checkpoint, error) {
	c := new(Checkpoint)
	text := struct {
		*Checkpoint
		// Bodies are read as slices: in arrays short rows would be filled up with zeros, a hundred bytes for two.
		Bodies [][]float64 `json:"bodies"`
	}{Checkpoint: c}
	if err := json.Unmarshal(data, &text); err != nil {
		return nil, fault.Errorf("sim: %w: %w", ErrCheckpoint, placed(err))
	}
	if c.Format != checkpointFormat {
		return nil, fault.Errorf("sim: %w: its format is %s", ErrCheckpoint, fault.Name(c.Format))
	}
	if err := document.Sealed(data); err != nil {
		return nil, fault.Errorf("sim: %w: %w", ErrCheckpoint, err)
	}
	for i, row := range text.Bodies {
		if len(row) != len(bodyColumns) {
			return nil, misfit(len(row), "number of numbers of bodies[%d], for %d,", i, len(bodyColumns))
		}
	}
	if text.Bodies != nil {
		c.Bodies = make([][13]float64, len(text.Bodies))
	}
	for i, row := range text.Bodies {
		c.Bodies[i] = [13]float64(row)
	}
	return c, nil
}

// placed adds the position in the text to an error of package json.
func placed(err error) error {
	if e := new(json.SyntaxError); errors.As(err, &e) {
		return fmt.Errorf("byte %d: %w", e.Offset, err)
	}
	if e := new(json.UnmarshalTypeError); errors.As(err, &e) {
		return fmt.Errorf("byte %d: %s is %s", e.Offset, strings.TrimPrefix(strings.TrimPrefix(e.Field, "Checkpoint."), "stepMark."), e.Value)
	}
	return err
}
