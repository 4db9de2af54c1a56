// Package live moves a mechanism in real time while pages of scene/view look at it and act on it.
//
//	session, err := live.NewSession(plan, st, center, live.Options{})
//	v, err := view.NewViewer(s, st, view.NewSecret(), view.Options{Plan: plan, Live: session})
//	go session.Run(ctx)
//	err = http.Serve(listener, v)
//
// A [Session] owns the simulation. It steps on one goroutine, as fast as the clock and no faster, and only while it runs
// and a page looks: paused, or with no page, it waits for a message and takes no time of the processor. Where the
// processor is too slow, the simulation does not catch up later; the pages show by which factor it is behind. Time for
// which the machine has slept does not count.
//
// Pages are connected by web sockets. To them go states as binary frames (the time as a double, then view.AppendFrame),
// up to sixty a second, and a status as JSON, five times a second and after each message. A page that reads more slowly
// than that misses frames; each has memory for two. What comes from a page is a [Message]; a wrong one closes the
// connection with the reason.
//
// The method of integration is RATTLE (motion.Rattle) if nothing in the mechanism is stiff, else
// generalized-α with error control. The pages show its accuracy.
//
// [docs/play.md] says how accurate the methods are, and who can reach a page.
//
// [docs/play.md]: https://github.com/rung-mbd/rung/blob/main/docs/play.md
package live
