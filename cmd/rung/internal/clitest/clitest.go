package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/schema"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/test/schematest"
)

// Command returns a new command for each command line.
type Command func() *cobra.Command

// Of returns the command with only some subcommands.
func Of(subcommands ...func() []*cobra.Command) Command {
	return func() *cobra.Command {
		root := shell.Root()
		for _, list := range subcommands {
			root.AddCommand(list()...)
		}
		return root
	}
}

// Result is the exit status, standard output and standard error of one run of the command.
type Result struct {
	Status   int
	Out, Err string
}

// RunTo runs one command line and returns its exit status.
func (c Command) RunTo(stdout, stderr io.Writer, stdin string, args ...string) int {
	return shell.Execute(context.Background(), c(), args, strings.NewReader(stdin), stdout, stderr)
}

// RunWith runs one command line with a text on standard input. It panics if the output is a document of rung that does not fit its
// schema.
func (c Command) RunWith(stdin string, args ...string) Result {
	var out, err bytes.Buffer
	status := c.RunTo(&out, &err, stdin, args...)
	checkDocument(out.Bytes())
	return Result{status, out.String(), err.String()}
}

// Run is RunWith with nothing on standard input.
func (c Command) Run(args ...string) Result { return c.RunWith("", args...) }

// OK runs one command line that has to succeed and returns its output.
func (c Command) OK(t *testing.T, args ...string) string {
	t.Helper()
	r := c.Run(args...)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	return r.Out
}

// Schema returns the compiled schema of a document by its name, nil if there is none.
var Schema = func() func(name string) *jsonschema.Schema {
	var mu sync.Mutex
	known := map[string]*jsonschema.Schema{}
	return func(name string) *jsonschema.Schema {
		mu.Lock()
		defer mu.Unlock()
		if known[name] == nil {
			text, err := schema.Of(name)
			if err != nil {
				return nil
			}
			if known[name], err = schematest.New(text); err != nil {
				panic(err)
			}
		}
		return known[name]
	}
}()

// checkDocument panics if a text is a document of the command that does not fit its schema.
func checkDocument(text []byte) {
	var head struct{ Format string }
	if !bytes.HasPrefix(text, []byte("{")) || json.Unmarshal(text, &head) != nil {
		return
	}
	name, version, _ := strings.Cut(strings.TrimPrefix(head.Format, "rung-"), "/")
	if s := Schema(name); s != nil && version == "1" {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = s.Validate(value)
		}
		if err != nil {
			panic(err)
		}
	}
}

// MustFit requires that a document fits its schema, and that it does not with another field.
func MustFit(t *testing.T, name, document string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	require.NoError(t, err, document)
	require.NoError(t, Schema(name).Validate(value), document)
	value.(map[string]any)["else"] = 1
	require.Error(t, Schema(name).Validate(value), "a field too many")
}

// RequireColumns checks that no line of a text is wider than a terminal.
func RequireColumns(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), sheet.Widest, line)
	}
}

// root is the path of the folder of the module from a package of a subcommand.
const root = "../../../.."

// Reference returns the path of a file of the folder reference, for packages of subcommands.
func Reference(parts ...string) string {
	return filepath.Join(append([]string{root, "reference"}, parts...)...)
}

// Example returns the path of a file of the folder examples, for packages of subcommands.
func Example(parts ...string) string {
	return filepath.Join(append([]string{root, "examples"}, parts...)...)
}
