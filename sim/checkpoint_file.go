package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"os"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
)

// sumTable is that of the checksums of checkpoints and trajectories: CRC-64 of ECMA-182.
var sumTable = crc64.MakeTable(crc64.ECMA)

func sumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// The last field of a file is the checksum of the document without it.
const (
	sumKey = `,"checksum":"`
	sumEnd = "\"}\n"
)

// Write writes c with a checksum, for ReadCheckpoint. If c has a number that is not finite, it
// writes nothing and returns an error that wraps ErrCheckpoint. It returns the errors of w.
func (c *Checkpoint) Write(w io.Writer) error {
	if err := c.checkFinite(); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return fault.Errorf("sim: checkpoint: %w", err)
	}
	end := sumKey + sumText(crc64.Checksum(data, sumTable)) + sumEnd
	_, err = w.Write(append(data[:len(data)-1], end...))
	return err
}

// WriteCheckpoint writes c to a file. The file is replaced in one move: whenever
// the process ends, it holds the old checkpoint or the new one.
//
// It returns the errors of Checkpoint.Write and of the system, and one if another process is writing the file.
func WriteCheckpoint(path string, c *Checkpoint) error { return outfile.Write(path, c.Write) }

// ReadCheckpoint reads what WriteCheckpoint has written.
//
// It returns an error that wraps ErrCheckpoint, and says where, if the file is none or is damaged.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := new(Checkpoint)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fault.Errorf("sim: %s: %w: %w", path, ErrCheckpoint, placed(err))
	}
	if c.Format != CheckpointFormat {
		return nil, fault.Errorf("sim: %s: %w: its format is %q", path, ErrCheckpoint, c.Format)
	}
	if err := checkSum(data); err != nil {
		return nil, fault.Errorf("sim: %s: %w: %w", path, ErrCheckpoint, err)
	}
	return c, nil
}

// checkSum compares the checksum at the end of a file with the rest of it.
func checkSum(data []byte) error {
	at := len(data) - len(sumKey) - len(sumText(0)) - len(sumEnd)
	if at < 0 || !bytes.HasPrefix(data[at:], []byte(sumKey)) || !bytes.HasSuffix(data, []byte(sumEnd)) {
		return errors.New("it does not end in a checksum")
	}
	said := string(data[at+len(sumKey) : len(data)-len(sumEnd)])
	if is := sumText(crc64.Update(crc64.Checksum(data[:at], sumTable), sumTable, []byte("}"))); is != said {
		return fmt.Errorf("it is damaged: its checksum says %q, its content has %s", said, is)
	}
	return nil
}

// placed adds to an error of JSON where it is.
func placed(err error) error {
	if e := new(json.SyntaxError); errors.As(err, &e) {
		return fmt.Errorf("byte %d: %w", e.Offset, err)
	}
	if e := new(json.UnmarshalTypeError); errors.As(err, &e) {
		return fmt.Errorf("byte %d: %s is %s", e.Offset, e.Field, e.Value)
	}
	return err
}
