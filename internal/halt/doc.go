// Package halt ends long loops whose context has ended.
package halt
