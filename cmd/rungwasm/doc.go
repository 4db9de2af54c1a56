//go:build js && wasm

// Command rungwasm is Rung in a browser, or in Node. It gives JavaScript one object, rung, whose functions return {value} or
// {error}: the error is a text, the document of door.Details.
//
//	rung.open(name, text, options, page)  a model; page.frame, page.status and page.ended hear of its motion
//	rung.read(name, text, options)        a model that does not move
//
// Texts are documents: models, options, what is returned. Numbers are Uint8Arrays over doubles, little-endian, with the order of
// package door. A model has
//
//	sizes                     door.Sizes as JSON
//	document(what, options)   as it stands now
//	get(address)              what the page of scene/view asks its server for (of rung.open)
//	send(text)                a live.Message (of rung.open)
//	initial(state)            the state of the model into an array
//	accel(state, acc)         accelerations at a state, six numbers a body
//	run(options)              a run; to(time, budget) is true if it has to be called again
//	close()                   after which nothing of it may be called
//
// A run has to(time, budget), time(), state(into), document() and close().
//
// All calls run to their end before they return, but for run.to, whose budget is in seconds.
package main
