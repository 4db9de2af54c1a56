package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object whose members keep their order.
type object struct {
	keys   []string
	values map[string]any // *object, []any, string, json.Number, bool, nil
}

// parse reads a document, which must be an object.
func parse(text string) (*object, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return nil, fmt.Errorf("the document is no object")
	}
	return o, nil
}

// value reads the next value, as in object.values.
func value(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := &object{values: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			o.keys = append(o.keys, key.(string))
			o.values[key.(string)] = v
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		var list []any
		for d.More() {
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

// object returns a member that is an object, nil if it is missing or of another type.
func (o *object) object(key string) *object {
	if o == nil {
		return nil
	}
	v, _ := o.values[key].(*object)
	return v
}

// text returns a member that is a string, "" if it is missing or of another type.
func (o *object) text(key string) string {
	if o == nil {
		return ""
	}
	v, _ := o.values[key].(string)
	return v
}

// list returns a member that is an array, nil if it is missing or of another type.
func (o *object) list(key string) []any {
	if o == nil {
		return nil
	}
	v, _ := o.values[key].([]any)
	return v
}

// show returns a value as JSON.
func show(v any) string {
	switch v := v.(type) {
	case *object:
		var parts []string
		for _, k := range v.keys {
			parts = append(parts, show(k)+": "+show(v.values[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, show(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
