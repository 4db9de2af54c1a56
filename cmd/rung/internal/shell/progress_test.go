package shell

import (
	"bytes"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// screen is a terminal that remembers everything.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// The clock of these tests is that of synctest: it goes on where all goroutines wait.

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		p := startProgress(s, 0, time.Millisecond)
		sees := func(text string) {
			t.Helper()
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			require.Contains(t, s.String(), text)
		}
		p.Stage("reading", 1000)
		p.Add(500)
		sees("reading")
		sees("50%")
		p.Describe("still reading")
		sees("still reading")
		p.Stage("solving", 0)
		sees("solving")
		p.Aside(func() { _, _ = s.Write([]byte("|printed|")) })
		sees("|printed|")
		p.Add(1)
		p.End()
		p.End()
		n := len(s.String())
		time.Sleep(time.Hour)
		assert.Len(t, s.String(), n, "nothing is drawn after the end")
	})
}

// TestProgressShort shows nothing of short work, nor on anything but a
// terminal.
func TestProgressShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		p := startProgress(s, time.Second, time.Millisecond)
		p.Stage("reading", 10)
		time.Sleep(999 * time.Millisecond)
		p.End()
		assert.Empty(t, s.String())

		p = NewProgress(s)
		p.Stage("reading", 10)
		p.Describe("still")
		p.Add(1)
		p.Aside(func() {})
		time.Sleep(time.Hour)
		p.End()
		assert.Empty(t, s.String())
	})
}
