package view_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

const (
	secret = "0123456789abcdef"
	host   = "127.0.0.1:4711"
)

func viewer(t testing.TB) (*view.Viewer, *mechanism.Mechanism) {
	m, err := bench.Scissor(3, 1)
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	mech := plan.Mechanism()
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), secret, view.Options{Plan: plan})
	require.NoError(t, err)
	return v, mech
}

// ask sends a request; headers come in pairs.
func ask(v http.Handler, host, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://"+host+"/", nil)
	r.URL.Path, r.Host = path, host
	if at := strings.IndexByte(path, '?'); at >= 0 {
		r.URL.Path, r.URL.RawQuery = path[:at], path[at+1:]
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	return w
}

// Who does not know the secret, comes by another name of this machine or from another page gets 403 and nothing else.
func TestForbidden(t *testing.T) {
	v, _ := viewer(t)
	for _, c := range []struct {
		host, path string
		headers    []string
	}{
		{host, "/", nil},
		{host, "/scene.json", nil},
		{host, "/0123456789abcdee/", nil},
		{host, "/" + secret, nil},
		{host, "/../" + secret + "/", nil},
		{"evil.example:4711", "/" + secret + "/", nil},
		{"127.0.0.1.evil.example", "/" + secret + "/", nil},
		{"10.0.0.1:4711", "/" + secret + "/", nil},
		{"", "/" + secret + "/", nil},
		{host, "/" + secret + "/", []string{"Origin", "http://evil.example"}},
		{host, "/" + secret + "/frame", []string{"Origin", "http://localhost:4711"}},
		{host, "/" + secret + "/frame", []string{"Origin", "null"}},
		{host, "/" + secret + "/frame", []string{"Sec-Fetch-Site", "cross-site"}},
		{host, "/" + secret + "/frame", []string{"Sec-Fetch-Site", "same-site"}},
		{host, "/" + secret + "/", []string{"Sec-Fetch-Site", "cross-site"}},
		{host, "/" + secret + "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{host, "/" + secret + "/scene.json", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}},
		{host, "/wrong/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}},
	} {
		w := ask(v, c.host, c.path, c.headers...)
		assert.Equal(t, http.StatusForbidden, w.Code, "%v", c)
		assert.Equal(t, "403 forbidden\n", w.Body.String())
	}
}

// Only the files of the page and the numbers of the mechanism are there, whatever a path looks like.
func TestPaths(t *testing.T) {
	v, _ := viewer(t)
	for _, path := range []string{"../viewer.go", "..", "page/app.js", "index.html", "./app.js", "%2e%2e/doc.go", "app.js/", "/etc/passwd", "frame?row=1", "frame?row=-1", "terrain", "series?column=time"} {
		assert.Equal(t, http.StatusNotFound, ask(v, host, "/"+secret+"/"+path).Code, path)
	}
	assert.Equal(t, http.StatusBadRequest, ask(v, host, "/"+secret+"/frame?row=x").Code)
	for _, name := range []string{host, "localhost:1", "localhost", "[::1]:80", "127.0.0.1"} {
		assert.Equal(t, http.StatusOK, ask(v, name, "/"+secret+"/", "Origin", "http://"+name, "Sec-Fetch-Site", "same-origin").Code, name)
		assert.Equal(t, http.StatusOK, ask(v, name, "/"+secret+"/", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document").Code, "from a file, "+name)
	}
	r := httptest.NewRequest("POST", "http://"+host+"/"+secret+"/", nil)
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

// All that the page loads is there, from the page itself: every name in an import, src or href.
func TestWhole(t *testing.T) {
	v, _ := viewer(t)
	loads := regexp.MustCompile(`(?:from '\./|import\('\./|resolve\('\./|src="|href=")([^"']+)["']`)
	seen, list := map[string]bool{}, []string{""}
	for len(list) > 0 {
		name := list[0]
		list = list[1:]
		if seen[name] || name == "data:," {
			continue
		}
		seen[name] = true
		w := ask(v, host, "/"+secret+"/"+name)
		require.Equal(t, http.StatusOK, w.Code, name)
		assert.NotContains(t, w.Body.String(), "https://", name)
		policy := w.Header().Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		for _, m := range loads.FindAllStringSubmatch(w.Body.String(), -1) {
			list = append(list, m[1])
		}
	}
	assert.Len(t, seen, 18)
}

// The arrays have the lengths that the head tells, and the poses are those of the state.
func TestNumbers(t *testing.T) {
	v, m := viewer(t)
	var head struct {
		Bodies, Joints int
		Types          []string
		Shapes         []int
		Links          []int
		Center         [3]float64
		Upright        spatial.Mat3
		Low            float64
	}
	require.NoError(t, json.Unmarshal(ask(v, host, "/"+secret+"/scene.json").Body.Bytes(), &head))
	require.Equal(t, m.NumBodies(), head.Bodies)
	require.Equal(t, m.NumJoints(), head.Joints)
	assert.Equal(t, scene.Upright(m), head.Upright)
	assert.NotEqual(t, spatial.Mat3{}, head.Upright)
	assert.Less(t, head.Low, 0.0)
	var names struct{ Bodies, Joints, Forces []string }
	require.NoError(t, json.Unmarshal(ask(v, host, "/"+secret+"/names").Body.Bytes(), &names))
	require.Len(t, names.Bodies, m.NumBodies())
	table := ask(v, host, "/"+secret+"/joints").Body.Bytes()
	require.Len(t, table, 12*m.NumJoints())
	for j := range m.NumJoints() {
		jt := &m.Joints[j]
		at := func(k int) int32 { return int32(binary.LittleEndian.Uint32(table[12*j+4*k:])) }
		assert.Equal(t, m.JointName(j), names.Joints[j])
		assert.Equal(t, jt.Kind.String(), head.Types[at(0)])
		assert.Equal(t, [2]int32{jt.Pred, jt.Succ}, [2]int32{at(1), at(2)})
	}
	shapes := 0
	for _, n := range head.Shapes {
		shapes += n
	}
	assert.Len(t, floats(ask(v, host, "/"+secret+"/shapes").Body.Bytes()), 15*shapes)
	links := 0
	require.Len(t, head.Links, scene.NumLooks)
	for _, n := range head.Links {
		links += n
	}
	assert.Len(t, floats(ask(v, host, "/"+secret+"/links").Body.Bytes()), 14*links)
	frame := floats(ask(v, host, "/"+secret+"/frame").Body.Bytes())
	require.Len(t, frame, 13*m.NumBodies())
	st := m.Initial()
	for i := range st.Bodies {
		for k := range 3 {
			assert.InDelta(t, st.Bodies[i].Position[k]-head.Center[k], frame[7*i+k], 1e-6)
			assert.InDelta(t, st.Bodies[i].Velocity[k], frame[7*m.NumBodies()+6*i+k], 1e-6)
		}
		assert.InDelta(t, st.Bodies[i].Rotation[0], frame[7*i+6], 1e-6)
	}
	for _, x := range floats(ask(v, host, "/"+secret+"/reactions").Body.Bytes()) {
		assert.False(t, math.IsNaN(x))
	}
	var report struct {
		Rows, Rank, Mobility    int
		Redundant, Undetermined []int
	}
	require.NoError(t, json.Unmarshal(ask(v, host, "/"+secret+"/report").Body.Bytes(), &report))
	assert.Equal(t, 30*3-8, report.Rows)
	assert.Equal(t, 18*3-7, report.Rows-report.Rank, "redundant rows of a mast of 3")
	assert.Equal(t, 1, report.Mobility)
	assert.NotEmpty(t, report.Undetermined)
}

func floats(b []byte) []float64 {
	out := make([]float64, len(b)/4)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// slow is an answer that notes until when it has to be read.
type slow struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (s *slow) SetWriteDeadline(t time.Time) error {
	s.until = t
	return nil
}

// TestAnswersEnd: who asks has half a minute to read the answer, so that nobody who does not read holds a connection;
// the time begins when the answer is there.
func TestAnswersEnd(t *testing.T) {
	v, _ := viewer(t)
	for _, path := range []string{"/" + secret + "/", "/" + secret + "/app.js", "/" + secret + "/scene.json", "/" + secret + "/reactions?row=0", "/x/", "/" + secret + "/nothing"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		w := &slow{ResponseRecorder: httptest.NewRecorder()}
		begun := time.Now()
		v.ServeHTTP(w, r)
		require.GreaterOrEqual(t, w.until, begun.Add(20*time.Second), path)
		require.LessOrEqual(t, w.until, time.Now().Add(40*time.Second), path)
	}
}

// TestAnswer: what the server gives at an address is what a program without one gives, and addresses that are not there are refused.
func TestAnswer(t *testing.T) {
	v, _ := viewer(t)
	for _, address := range []string{"scene.json", "shapes", "links", "names", "joints", "frame?row=0", "frame"} {
		w := ask(v, host, v.Path()+address)
		require.Equal(t, http.StatusOK, w.Code, address)
		b, err := v.Answer(context.Background(), address)
		require.NoError(t, err, address)
		assert.Equal(t, w.Body.String(), string(b), address)
	}
	for address, text := range map[string]string{"app.js": "no such row", "frame?row=1": "no such row", "frame?row=x": "is no number", "frame?row=%": "the query of"} {
		_, err := v.Answer(context.Background(), address)
		assert.ErrorContains(t, err, text, address)
	}
}
