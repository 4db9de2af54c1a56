package look

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// handover is a file of the user's own that leads a browser to a page. Arguments of programs can be read by all users of
// a machine, so the programs that start the browser are given the name of this file and not the address.
type handover struct {
	folder string
	once   sync.Once
}

// opening is the text of the file. Addresses need no escaping.
const opening = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>Rung</title>
<p><a href="%[1]s">to the page</a></p>
`

// newHandover writes the file, which only the user can read, in a folder that only the user can enter.
//
// The folder is in the home folder and not hidden, as sandboxed browsers (snap, flatpak) see neither hidden folders nor the folder of
// temporary files. Without a home folder it is in the folder of temporary files all the same.
func newHandover(address string) (*handover, error) {
	var errs []error
	for _, of := range []func() (string, error){os.UserHomeDir, func() (string, error) { return os.TempDir(), nil }} {
		parent, err := of()
		if err == nil {
			var h *handover
			if h, err = handoverIn(parent, address); err == nil {
				return h, nil
			}
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// handoverIn is newHandover with a new folder in parent.
func handoverIn(parent, address string) (*handover, error) {
	folder, err := os.MkdirTemp(parent, "rung-page-") // 0700
	if err != nil {
		return nil, err
	}
	h := &handover{folder: folder}
	f, err := os.OpenFile(h.name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, opening, address)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		h.remove()
		return nil, err
	}
	return h, nil
}

// name returns the path of the file.
func (h *handover) name() string { return filepath.Join(h.folder, "open.html") }

// remove removes the file and its folder. It may be called any number of times.
func (h *handover) remove() { h.once.Do(func() { os.RemoveAll(h.folder) }) }

// removeAfter returns a handler that answers as v does, and removes the file after a request for path, the path of the page. This path is
// secret. So the comparison takes the same time wherever a path of the same length differs.
func (h *handover) removeAfter(v http.Handler, path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.ServeHTTP(w, r)
		if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(path)) == 1 {
			h.remove()
		}
	})
}

// open starts the browser of the user with the file. If that fails, it removes the file: the user still has the printed address.
func (h *handover) open() {
	name, args := "xdg-open", []string{h.name()}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", h.name()}
	}
	c := exec.Command(name, args...)
	if c.Start() != nil {
		h.remove()
		return
	}
	go func() {
		if c.Wait() != nil {
			h.remove()
		}
	}()
}
