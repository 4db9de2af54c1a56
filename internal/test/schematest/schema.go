package schematest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// New compiles a schema. Its draft is 2020-12 unless it names another one.
func New(text []byte) (*jsonschema.Schema, error) {
	const id = "urn:schema"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(id, doc); err != nil {
		return nil, err
	}
	return c.Compile(id)
}

// Compile is New, but stops the test if text is no schema.
func Compile(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	s, err := New(text)
	require.NoError(t, err)
	return s
}

// Validate returns nil if a JSON document satisfies the schema, and otherwise an error. It stops the test if text is not JSON.
func Validate(t testing.TB, s *jsonschema.Schema, text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	return s.Validate(doc)
}
