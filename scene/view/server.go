package view

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:embed page
var page embed.FS

// policy lets the page load from its own server and from nowhere else.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; media-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// answering is the longest time that a client may take to read an answer. A
// connection that is not read would hold memory for ever.
const answering = 30 * time.Second

// NewSecret returns a random secret of 128 bits.
func NewSecret() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// types are the files of the page with their content types. The path
// of a request is looked up here, and is never the name of a file.
var types = map[string]string{
	"": "text/html; charset=utf-8", "page.css": "text/css; charset=utf-8",
	"app.js": "text/javascript; charset=utf-8", "drawing.js": "text/javascript; charset=utf-8", "algebra.js": "text/javascript; charset=utf-8",
	"shaders.js": "text/javascript; charset=utf-8", "levels.js": "text/javascript; charset=utf-8", "things.js": "text/javascript; charset=utf-8", "pace.js": "text/javascript; charset=utf-8",
	"shapes.js": "text/javascript; charset=utf-8", "chart.js": "text/javascript; charset=utf-8", "source.js": "text/javascript; charset=utf-8",
	"panel.js": "text/javascript; charset=utf-8", "marks.js": "text/javascript; charset=utf-8", "state.js": "text/javascript; charset=utf-8", "live.js": "text/javascript; charset=utf-8",
	"frames.js": "text/javascript; charset=utf-8", "worker.js": "text/javascript; charset=utf-8",
}

// ServeHTTP implements http.Handler.
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp") // together with the opener policy it lets the page share memory with its worker
	h.Set("Cache-Control", "no-store")
	setDeadline(w)
	path, ok := v.admit(r)
	if !ok {
		http.Error(w, "403 forbidden", http.StatusForbidden)
		return
	}
	if path == "live" && v.live != nil {
		v.live.Connect(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "405 method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if kind, ok := types[path]; ok {
		name := path
		if name == "" {
			name = "index.html"
		}
		data, err := page.ReadFile("page/" + name)
		if err != nil {
			http.Error(w, "404 not found", http.StatusNotFound)
			return
		}
		h.Set("Content-Type", kind)
		w.Write(data)
		return
	}
	v.data(w, r, path)
}

// setDeadline gives the reader of an answer the time answering from now on. A WebSocket sets its own deadlines.
func setDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answering)) // an error: w is no connection, as in tests
}

// admit returns the part of the path after the secret. It returns false for a request that must not be answered: to another host, from
// another site, or without the secret.
func (v *Viewer) admit(r *http.Request) (path string, ok bool) {
	if !local(r.Host) {
		return "", false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return "", false
	}
	secret, path, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && !(path == "" && opens(r)) {
		return "", false
	}
	if !found || subtle.ConstantTimeCompare([]byte(secret), []byte(v.secret)) != 1 {
		return "", false
	}
	return path, true
}

// opens reports whether a browser opens the page in a window, as it does after a click on a link. Such a request may come from another
// site: the page itself is no secret, and its own requests come from this site.
func opens(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// local reports whether a host, with or without a port, is this machine
// under one of the names that no other site can have.
func local(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	return name == "127.0.0.1" || name == "localhost" || name == "::1" || name == "[::1]"
}

// data answers requests for numbers.
func (v *Viewer) data(w http.ResponseWriter, r *http.Request, path string) {
	row, err := rowIn(r.URL.Query())
	if err != nil {
		http.Error(w, "400 row is no number", http.StatusBadRequest)
		return
	}
	b, kind, err := v.part(r.Context(), path, row, r.URL.Query().Get("column"))
	setDeadline(w) // anew, as the computation may have taken long
	switch {
	case errors.Is(err, errRow):
		http.Error(w, "404 not found", http.StatusNotFound)
	case err != nil:
		http.Error(w, "500 "+err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", kind)
		w.Write(b)
	}
}

// Answer returns the answer to a request of the page. address is relative to the address of the page, such as frame?row=0. A program
// in the browser itself, which has no server, answers the page by it.
//
// It returns an error for an address that the server does not know, and the errors of the computation.
func (v *Viewer) Answer(ctx context.Context, address string) ([]byte, error) {
	path, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("view: the query of %.80q: %w", address, err)
	}
	row, err := rowIn(values)
	if err != nil {
		return nil, fmt.Errorf("view: the row of %.80q is no number", address)
	}
	b, _, err := v.part(ctx, path, row, values.Get("column"))
	if err != nil {
		return nil, fmt.Errorf("view: %.80q: %w", address, err)
	}
	return b, nil
}

// part returns the part of the page's data at path, and its media type. row is the number of a row, a terrain or a mesh, and column
// the name of a column; a part may need neither. It returns errRow for a path, row or column that there is not.
func (v *Viewer) part(ctx context.Context, path string, row int, column string) (b []byte, kind string, err error) {
	kind = "application/octet-stream"
	switch path {
	case "scene.json":
		b, kind = v.head, "application/json"
	case "shapes":
		b = v.shapes
	case "links":
		b = v.links
	case "forces":
		b, err = v.forces(row)
	case "clusters":
		b = v.clusters()
	case "joints":
		b = v.joints
	case "names":
		kind = "application/json"
		b, err = v.names()
	case "times":
		b = v.times()
	case "terrain":
		if row < 0 || row >= len(v.terrains) {
			err = errRow
			break
		}
		b = v.terrains[row]
	case "mesh":
		if row < 0 || row >= len(v.meshes) {
			err = errRow
			break
		}
		b = v.meshes[row]
	case "frame":
		b, err = v.frame(row)
	case "reactions":
		b, err = v.reactions(ctx, row)
	case "series":
		b, err = v.series(column)
	case "report":
		kind = "application/json"
		var rep *report
		if rep, err = v.reportOf(ctx, row); err == nil {
			b, err = json.Marshal(rep)
		}
	default:
		err = errRow
	}
	return b, kind, err
}

// Address returns the address of the page on a server that listens at host:port.
func (v *Viewer) Address(host string) string { return "http://" + host + v.Path() }

// Path returns the path of the page on its server, which has the secret.
func (v *Viewer) Path() string { return "/" + v.secret + "/" }
