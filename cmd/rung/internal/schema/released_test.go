package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// read are the documents that the command reads; it writes the others.
var read = []string{"model", "ik", "study", "run", "directions", "objective"}

// schemas returns the schemas of all documents.
func schemas(t *testing.T) map[string]any {
	t.Helper()
	list := map[string]any{}
	for _, name := range Names() {
		b, err := Of(name)
		require.NoError(t, err)
		var s any
		require.NoError(t, json.Unmarshal(b, &s))
		list[name] = stripped(s)
	}
	return list
}

// lost returns what the second of two sets of schemas does not keep of the first.
func lost(then, now map[string]any) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(then)) {
		s, ok := now[name]
		var found []string
		switch {
		case !ok:
			found = []string{"/: there is no such document any more"}
		case slices.Contains(read, name):
			found = narrowed(then[name], s, false)
		default:
			found = narrowed(s, then[name], true)
		}
		for _, f := range found {
			list = append(list, name+f)
		}
	}
	return list
}

// TestPromisedDocuments: documents that the last release read are read, and what its documents had is in those that are written now.
func TestPromisedDocuments(t *testing.T) {
	now := schemas(t)
	b, err := json.MarshalIndent(now, "", " ")
	require.NoError(t, err)
	var then map[string]any
	require.NoError(t, json.Unmarshal(check.Promise(t, "schemas.json", append(b, '\n')), &then))
	check.Broken(t, lost(then, now))
}

// TestNarrowed: each kind of change by itself.
func TestNarrowed(t *testing.T) {
	const before = `{"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
		"a": {"type": "number", "minimum": 1, "maximum": 5}, "b": {"enum": ["x", "y"]}, "c": {"type": ["string", "null"], "pattern": "^a"},
		"d": {"type": "array", "items": {"$ref": "#/$defs/e"}, "maxItems": 3}, "f": {"oneOf": [{"type": "string"}, {"const": 3}]},
		"g": {"type": "object", "properties": {}}, "h": {"prefixItems": [{"type": "string"}, {"type": "number"}]}},
		"if": {"required": ["b"]}, "then": {"required": ["c"]}, "allOf": [{"required": ["a"]}],
		"$defs": {"e": {"type": "object", "properties": {"z": {"type": "integer"}, "again": {"$ref": "#/$defs/e"}}, "additionalProperties": false}}}`
	for _, c := range []struct {
		old, new        string
		reading, writes bool // whether a reader refuses what was fine, and whether readers of what is written miss something
	}{
		{`"required": ["a"], "properties"`, `"required": ["a", "b"], "properties"`, true, false}, {`"required": ["a"], "properties"`, `"required": [], "properties"`, false, true},
		{`"minimum": 1`, `"minimum": 2`, true, false}, {`"minimum": 1`, `"minimum": 0`, false, true}, {`"maximum": 5`, `"maximum": 4`, true, false},
		{`, "maximum": 5`, ``, false, true}, {`"maximum": 5`, `"maximum": 5, "exclusiveMinimum": 0`, true, false},
		{`["x", "y"]`, `["x"]`, true, false}, {`["x", "y"]`, `["x", "y", "z"]`, false, false}, {`"enum": ["x", "y"]`, `"type": "string"`, false, true},
		{`["string", "null"]`, `"string"`, true, false}, {`"z": {"type": "integer"}`, `"z": {"type": "number"}`, false, true}, {`"z": {"type": "integer"}`, `"z": {"type": "string"}`, true, true},
		{`"z": {"type": "integer"}, `, ``, true, true}, {`"z": {`, `"more": {}, "z": {`, false, false}, {`"pattern": "^a"`, `"pattern": "^b"`, true, true}, {`, "pattern": "^a"`, ``, false, true},
		{`"maxItems": 3`, `"maxItems": 2`, true, false}, {`"oneOf": [{"type": "string"}, {"const": 3}]`, `"oneOf": [{"type": "string"}]`, true, false},
		{`{"const": 3}]`, `{"const": 3}, {"const": 4}]`, false, false}, {`{"const": 3}`, `{"const": 4}`, true, false},
		{`"g": {"type": "object", "properties": {}}`, `"g": {"type": "object", "properties": {"k": {"minimum": 1}}}`, true, false},
		{`"g": {"type": "object"`, `"g": {"additionalProperties": false, "type": "object"`, true, false},
		{`"prefixItems": [{"type": "string"}, {"type": "number"}]`, `"prefixItems": [{"type": "string"}, {"type": "integer"}]`, true, false},
		{`"then": {"required": ["c"]}`, `"then": {"required": ["c", "d"]}`, true, false}, {`"if": {"required": ["b"]}`, `"if": {"required": ["d"]}`, true, true},
		{`"allOf": [{"required": ["a"]}]`, `"allOf": [{"required": ["a"]}, {"required": ["b"]}]`, true, false}, {`"again": {"$ref": "#/$defs/e"}`, `"again": {"$ref": "#/$defs/e", "description": "new"}`, false, false},
		{`"type": "object", "additionalProperties": false, "required"`, `"description": "words", "type": "object", "additionalProperties": false, "required"`, false, false},
	} {
		require.Contains(t, before, c.old)
		var a, b any
		require.NoError(t, json.Unmarshal([]byte(before), &a))
		require.NoError(t, json.Unmarshal([]byte(strings.Replace(before, c.old, c.new, 1)), &b))
		assert.Equal(t, c.reading, len(narrowed(a, b, false)) > 0, "read: %s → %s: %q", c.old, c.new, narrowed(a, b, false))
		assert.Equal(t, c.writes, len(narrowed(b, a, true)) > 0, "written: %s → %s: %q", c.old, c.new, narrowed(b, a, true))
	}
	without := map[string]any{"not": map[string]any{}}
	assert.Empty(t, narrowed(without, map[string]any{"type": "number"}, false), "what nothing held to is taken now")
	assert.NotEmpty(t, narrowed(map[string]any{"type": "number"}, without, false))
}

// TestEachPropertyIsHeld: no property of a document can go, and none that may be left out can become required, without a word. One in some is
// tried, and all in the runs of nights.
func TestEachPropertyIsHeld(t *testing.T) {
	then := schemas(t)
	every := 43
	if testing.Short() {
		every = 211
	}
	if check.More() > 1 {
		every = 1
	}
	tried := 0
	for _, name := range Names() {
		for i, at := range objects(then[name], nil) {
			properties := at["properties"].(map[string]any)
			for _, p := range slices.Sorted(maps.Keys(properties)) {
				if tried++; tried%every != 0 || never(properties[p]) { // nothing has such a one
					continue
				}
				now := map[string]any{name: clone(t, then[name])}
				changed := objects(now[name], nil)[i]
				delete(changed["properties"].(map[string]any), p)
				assert.NotEmpty(t, lost(map[string]any{name: then[name]}, now), "%s without %s", name, p)
			}
		}
	}
	assert.Greater(t, tried, 700)
}

// objects returns the objects of a schema, but for those within conditions and negations, which say nothing by themselves.
func objects(s any, list []map[string]any) []map[string]any {
	switch s := s.(type) {
	case map[string]any:
		if p, ok := s["properties"].(map[string]any); ok && s["additionalProperties"] == false && len(p) > 0 {
			list = append(list, s)
		}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			if key != "if" && key != "not" {
				list = objects(s[key], list)
			}
		}
	case []any:
		for _, v := range s {
			list = objects(v, list)
		}
	}
	return list
}

func clone(t *testing.T, s any) (copied any) {
	b, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &copied))
	return copied
}
