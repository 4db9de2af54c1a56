// Package view serves a page that shows a mechanism, and its motion if there is a trajectory, to a browser on the same
// machine, or writes that page as one file.
//
//	v, err := view.NewViewer(scene.New(mech, scene.Options{}), st, view.NewSecret(), view.Options{Plan: plan})
//	err = http.Serve(listener, v) // of 127.0.0.1; v.Address has the address
//	err = v.HTML(ctx, file)       // or the page as one file
//
// The page is in the program: nothing is fetched from elsewhere, and nothing is written. A request is answered if its
// address begins with the secret of the [Viewer], its host names this machine, and it comes from the served
// page; all others get 403. So neither other users of the machine nor pages of other sites
// that the browser shows can read a model.
//
// Numbers go to the page as arrays in little-endian order. Poses are in single precision relative to the middle of the
// mechanism, so that they are as exact far from the world's origin as near it.
package view
