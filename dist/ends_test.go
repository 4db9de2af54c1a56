package dist_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
)

// A rank that has ended, in whatever way, ends those that wait for it.
func TestRunEndsWithARank(t *testing.T) {
	errOwn := errors.New("own")
	for _, c := range []struct {
		name string
		end  func() error
		want string
	}{
		{"returns nil", func() error { return nil }, "waits for rank 1, which has ended"},
		{"Goexit", func() error { runtime.Goexit(); return nil }, "dist: rank 1: ended by runtime.Goexit"},
		{"panics", func() error { panic("boom") }, "dist: rank 1: panic: boom"},
		{"panics with nil", func() error { panic(nil) }, "dist: rank 1: panic: panic called with nil"},
		{"fails", func() error { return errOwn }, "own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 50 { // whoever is first
				require.ErrorContains(t, dist.Run(3, func(r dist.Comm) error {
					if r.Rank() == 1 {
						return c.end()
					}
					r.Recv(1, make([]float64, 1))
					return nil
				}), c.want)
			}
		})
	}
}

// Numbers that were sent before a rank ended arrive; those that nobody takes are an error.
func TestRunWithWhatIsLeft(t *testing.T) {
	got := make([]float64, 1)
	require.NoError(t, dist.Run(2, func(c dist.Comm) error {
		if c.Rank() == 1 {
			c.Send(0, []float64{7})
			return nil
		}
		runtime.Gosched()
		c.Recv(1, got)
		return nil
	}))
	require.Equal(t, 7.0, got[0])
	for _, n := range []int{1, 4, 9} { // on their way, or more than that
		require.ErrorContains(t, dist.Run(2, func(c dist.Comm) error {
			for range n * c.Rank() {
				c.Send(0, []float64{7})
			}
			return nil
		}), "rank 0")
	}
}

func TestNotAnotherRank(t *testing.T) {
	for _, other := range []int{-1, 0, 2, 99} { // rank 0 itself among them
		for _, call := range []func(dist.Comm){
			func(c dist.Comm) { c.Send(other, nil) },
			func(c dist.Comm) { c.Recv(other, nil) },
		} {
			require.ErrorContains(t, dist.Run(2, func(c dist.Comm) error {
				if c.Rank() == 0 {
					call(c)
				}
				return nil
			}), "dist: not another rank of the run")
		}
	}
}
