package build

import "reflect"

// own replaces each pointer and each list within v by a copy, at any depth, so that v shares none of them with its source.
// Unexported fields stay shared, and so do structs that have no others, such as surfaces: nobody can change them.
func own(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || sealed(v.Type().Elem()) {
			return
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		v.Set(to)
		own(to.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		v.Set(to)
		ownEach(to)
	case reflect.Array:
		ownEach(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				own(f)
			}
		}
	}
}

// ownEach is own of each entry of a list.
func ownEach(list reflect.Value) {
	switch list.Type().Elem().Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Struct:
		for i := range list.Len() {
			own(list.Index(i))
		}
	}
}

// sealed reports whether a type is a struct without exported fields.
func sealed(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return false
		}
	}
	return true
}
