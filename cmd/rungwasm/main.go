//go:build js && wasm

package main

import "syscall/js"

func main() {
	js.Global().Set("rung", map[string]any{"open": function(open), "read": function(read)})
	if ready := js.Global().Get("rungReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}
