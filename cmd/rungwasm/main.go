//go:build js && wasm

package main

import "syscall/js"

// main sets the global object rung and calls the function rungReady of the page, if there is one. It does not return, so that
// JavaScript can call the functions.
func main() {
	js.Global().Set("rung", map[string]any{"open": function(open), "read": function(read)})
	if ready := js.Global().Get("rungReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}
