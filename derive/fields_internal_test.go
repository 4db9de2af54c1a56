package derive

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// schemaDepth is larger than the depth of any number in a document of a model.
const schemaDepth = 14

// numbersOf returns the paths of all numbers that a schema allows, entries as [].
func numbersOf(t *testing.T, text []byte) []string {
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	seen := map[string]bool{}
	var walk func(n any, path string, depth int)
	walk = func(n any, path string, depth int) {
		o, ok := n.(map[string]any)
		if !ok || depth > schemaDepth {
			return
		}
		if ref, ok := o["$ref"].(string); ok {
			o = root["$defs"].(map[string]any)[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
		}
		for _, key := range [...]string{"anyOf", "oneOf", "allOf"} {
			list, _ := o[key].([]any)
			for _, x := range list {
				walk(x, path, depth+1)
			}
		}
		types, _ := o["type"].([]any)
		if x, ok := o["type"].(string); ok {
			types = []any{x}
		}
		if slices.Contains(types, any("number")) || slices.Contains(types, any("integer")) {
			seen[strings.TrimPrefix(path, ".")] = true
		}
		properties, _ := o["properties"].(map[string]any)
		for name, x := range properties {
			walk(x, path+"."+name, depth+1)
		}
		walk(o["items"], path+"[]", depth+1)
		list, _ := o["prefixItems"].([]any)
		for _, x := range list {
			walk(x, path+"[]", depth+1)
		}
	}
	walk(root, "", 0)
	var out []string
	for path := range seen {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// TestFieldsAreThoseOfTheSchema: every number in the schema of a model has a derivative, or a reason why it has none.
func TestFieldsAreThoseOfTheSchema(t *testing.T) {
	paths := numbersOf(t, model.Schema())
	require.Greater(t, len(paths), 150)
	for _, path := range paths {
		f, ok := fields[path]
		require.True(t, ok, "%s has no derivative and no reason", path)
		require.NotEqual(t, f.parts == nil, f.refused == "", path)
	}
	for path := range fields {
		require.True(t, slices.Contains(paths, path), "%s is no number of a model", path)
	}
}
