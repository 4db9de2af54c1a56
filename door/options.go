package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// decode reads an object of options into a struct with JSON tags, which keeps what the object has not; no text stands for none. A field
// that the struct has not is refused with the name that is near, and so is a value of another type.
func decode(what string, text []byte, into any) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		return refuse(Input, "%s: text after the object", what)
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return refuse(Input, "%s: %s is a %s, and has to be of the type %s", what, fault.Name(wrong.Field), wrong.Value, typeName(wrong.Type))
	}
	// encoding/json has no type for this error.
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		fields := fieldsOf(into)
		return refuse(Input, "%s: no option %s%s", what, fault.Name(name), fault.Meant(name, fields...))
	}
	return refuse(Input, "%s: no JSON object: %v", what, err)
}

// typeName returns the name of a type as JSON has it.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Int, reflect.Int64:
		return "integer"
	}
	return "number"
}

// fieldsOf returns the names that a struct has in JSON.
func fieldsOf(v any) (list []string) {
	t := reflect.TypeOf(v).Elem()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		list = append(list, name)
	}
	return list
}

// within refuses a number of threads, steps and the like that is out of range.
func within(what, field string, x, least, most int64) error {
	if x < least || x > most {
		return refuse(Input, "%s: %s is %d, and has to be from %d to %d", what, field, x, least, most)
	}
	return nil
}

// quoted lists names for messages.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(list, ", ")
}
