package schema

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// narrowing compares two JSON Schemas: whether all documents of the first are of the second, too. It looks at each keyword by itself, so it may complain
// about a change that refuses nothing; it does not overlook one that does, but where branches of a oneOf begin to overlap.
type narrowing struct {
	old, new any
	// grown passes over properties, values of enumerations and branches that only the first has: a program that writes
	// may write more than one before.
	grown bool
	seen  map[string]bool
	found []string
}

// narrowed returns what documents of a schema are refused by another one.
func narrowed(old, new any, grown bool) []string {
	n := &narrowing{old: old, new: new, grown: grown, seen: map[string]bool{}}
	n.compare("", old, new)
	return n.found
}

func (n *narrowing) say(at, format string, args ...any) {
	n.found = append(n.found, at+"/: "+fmt.Sprintf(format, args...))
}

// resolve follows references within a document.
func resolve(root, s any) any {
	for {
		m, _ := s.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok {
			return s
		}
		if len(m) > 1 {
			rest := maps.Clone(m)
			delete(rest, "$ref")
			if len(stripped(rest).(map[string]any)) > 0 {
				return map[string]any{"allOf": []any{map[string]any{"$ref": ref}, rest}}
			}
		}
		s = root
		for _, part := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
			s = s.(map[string]any)[part]
		}
	}
}

// known are the keywords that compare takes one by one. Others, such as pattern, not and if, may go, and may neither change nor come.
var known = []string{
	"type", "enum", "const", "required", "properties", "additionalProperties", "items", "prefixItems", "oneOf", "anyOf", "allOf", "then", "else", "$defs",
	"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties",
}

func (n *narrowing) compare(at string, old, new any) {
	if x, y := refOf(old), refOf(new); x != "" || y != "" {
		key := x + " " + y
		if x == "" || y == "" { // two references lead to the same comparison from any place
			key += " " + at
		}
		if n.seen[key] {
			return
		}
		n.seen[key] = true
	}
	old, new = resolve(n.old, old), resolve(n.new, new)
	if new == true || never(old) || new == nil {
		return
	}
	if old == true || old == nil {
		old = map[string]any{}
	}
	a, _ := old.(map[string]any)
	b, ok := new.(map[string]any)
	if !ok {
		n.say(at, "nothing is taken any more")
		return
	}
	n.values(at, a, b)
	n.bounds(at, a, b)
	n.object(at, a, b)
	n.list(at, a, b)
	n.branches(at, a, b)
	for key, value := range stripped(b).(map[string]any) {
		if slices.Contains(known, key) {
			continue
		}
		if !reflect.DeepEqual(stripped(a[key]), stripped(value)) {
			n.say(at, "%s has come or changed", key)
		}
	}
}

// never reports whether a schema is the usual one that nothing holds to.
func never(s any) bool {
	m, _ := s.(map[string]any)
	return s == false || len(m) == 1 && reflect.DeepEqual(m["not"], map[string]any{})
}

func refOf(s any) string {
	m, _ := s.(map[string]any)
	ref, _ := m["$ref"].(string)
	return ref
}

// values compares types and lists of values.
func (n *narrowing) values(at string, a, b map[string]any) {
	if types := set(b["type"]); len(types) > 0 {
		have := set(a["type"])
		for _, v := range values(a) {
			have = append(have, kindOf(v))
		}
		if len(have) == 0 {
			n.say(at, "type has come")
		}
		for _, t := range have {
			if !slices.Contains(types, t) && !(t == "integer" && slices.Contains(types, "number")) {
				n.say(at, "type %s is refused", t)
			}
		}
	}
	if want := values(b); want != nil {
		have := values(a)
		if have == nil {
			n.say(at, "only listed values are taken")
		}
		for _, v := range have {
			if !n.grown && !slices.ContainsFunc(want, func(w any) bool { return reflect.DeepEqual(v, w) }) {
				n.say(at, "value %v is refused", v)
			}
		}
	}
}

// set returns a word or a list of words.
func set(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, s := range v {
			list = append(list, fmt.Sprint(s))
		}
	}
	return list
}

// kindOf returns the type of a value.
func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	case []any:
		return "array"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// values returns the values that a schema lists.
func values(s map[string]any) []any {
	if v, ok := s["const"]; ok {
		return []any{v}
	}
	list, _ := s["enum"].([]any)
	return list
}

// bounds compares limits of numbers and sizes.
func (n *narrowing) bounds(at string, a, b map[string]any) {
	for key, sign := range map[string]float64{
		"minimum": 1, "exclusiveMinimum": 1, "minLength": 1, "minItems": 1, "minProperties": 1,
		"maximum": -1, "exclusiveMaximum": -1, "maxLength": -1, "maxItems": -1, "maxProperties": -1,
	} {
		want, ok := b[key].(float64)
		have, had := a[key].(float64)
		if ok && (!had || sign*want > sign*have) {
			n.say(at, "%s is %g now", key, want)
		}
	}
}

// object compares properties.
func (n *narrowing) object(at string, a, b map[string]any) {
	have := set(a["required"])
	for _, name := range set(b["required"]) {
		if !slices.Contains(have, name) {
			n.say(at, "%q is not sure to be there, and is required", name)
		}
	}
	mine, _ := a["properties"].(map[string]any)
	theirs, _ := b["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		s, ok := theirs[name]
		switch {
		case ok:
			n.compare(at+"/"+name, mine[name], s)
		case n.grown:
		default:
			if s = b["additionalProperties"]; s == false || s == nil || s == true {
				n.say(at, "%q is gone", name)
			} else {
				n.compare(at+"/"+name, mine[name], s)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if _, ok := mine[name]; ok {
			continue
		}
		switch rest := a["additionalProperties"]; {
		case n.grown:
			n.say(at, "%q is gone", name)
		case rest != false:
			n.compare(at+"/"+name, rest, theirs[name])
		}
	}
	rest, closed := b["additionalProperties"]
	switch {
	case !closed || rest == true || a["additionalProperties"] == false || n.grown && rest == false:
	case rest == false:
		n.say(at, "other properties are refused")
	default:
		n.compare(at+"/*", a["additionalProperties"], rest)
	}
}

// list compares entries of lists.
func (n *narrowing) list(at string, a, b map[string]any) {
	mine, _ := a["prefixItems"].([]any)
	theirs, _ := b["prefixItems"].([]any)
	for i := range max(len(mine), len(theirs)) {
		old, new := a["items"], b["items"]
		if i < len(mine) {
			old = mine[i]
		}
		if i < len(theirs) {
			new = theirs[i]
		}
		n.compare(fmt.Sprintf("%s/%d", at, i), old, new)
	}
	if new, ok := b["items"]; ok {
		n.compare(at+"/-", a["items"], new)
	}
}

// branches compares what schemas are put together of.
func (n *narrowing) branches(at string, a, b map[string]any) {
	fits := func(old, new any) bool {
		inner := &narrowing{old: n.old, new: n.new, grown: n.grown, seen: maps.Clone(n.seen)}
		inner.compare(at, old, new)
		return len(inner.found) == 0
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		theirs, ok := b[key].([]any)
		if !ok {
			continue
		}
		mine, ok := a[key].([]any)
		if !ok {
			n.say(at, "%s has come", key)
		}
		lost := 0
		for i, old := range mine {
			if i < len(theirs) && len(mine) == len(theirs) { // which says what is wrong within
				if !slices.ContainsFunc(theirs, func(new any) bool { return fits(old, new) }) {
					n.compare(fmt.Sprintf("%s/%s%d", at, key, i), old, theirs[i])
				}
			} else if !slices.ContainsFunc(theirs, func(new any) bool { return fits(old, new) }) {
				lost++
			}
		}
		if lost > 0 && !(n.grown && lost <= len(mine)-len(theirs)) {
			n.say(at, "%d of %s are gone or changed", lost, key)
		}
	}
	mine, _ := a["allOf"].([]any)
	theirs, _ := b["allOf"].([]any)
	for i, new := range theirs {
		if !slices.ContainsFunc(append(slices.Clone(mine), a), func(old any) bool { return fits(old, new) }) {
			if i < len(mine) {
				n.compare(fmt.Sprintf("%s/allOf%d", at, i), mine[i], new)
			} else {
				n.say(at, "allOf has more")
			}
		}
	}
	if _, ok := b["if"]; ok { // that it has not changed is seen to above
		for _, key := range []string{"then", "else"} {
			if new, ok := b[key]; ok {
				n.compare(at+"/"+key, a[key], new)
			}
		}
	}
}

// stripped returns a schema without what people read.
func stripped(s any) any {
	switch s := s.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, value := range s {
			switch key {
			case "description", "title", "$comment", "default", "examples", "$id", "$schema", "format", "deprecated":
				if _, text := value.(map[string]any); !text { // a property may have such a name
					continue
				}
			}
			m[key] = stripped(value)
		}
		return m
	case []any:
		list := make([]any, len(s))
		for i, v := range s {
			list[i] = stripped(v)
		}
		return list
	}
	return s
}
