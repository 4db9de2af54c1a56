package dist

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Run calls rank once for each of n ranks, as goroutines of this process, and waits for all. It returns the error of
// the lowest rank that has failed by itself. A rank that fails, or panics, ends the others where they wait for it.
//
// It panics if there is no rank.
func Run(n int, rank func(Comm) error) error {
	if n < 1 {
		panic("dist: no ranks")
	}
	w := &world{n: n, mail: make([]chan []float64, n*n), free: make([]chan []float64, n*n), end: make(chan struct{})}
	for i := range w.mail {
		// As MPI does with short messages, a few may be on their way.
		w.mail[i], w.free[i] = make(chan []float64, 4), make(chan []float64, 4)
	}
	errs := make([]error, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() {
			defer func() {
				if x := recover(); x == errEnded {
					errs[r] = errEnded
				} else if x != nil {
					errs[r] = fmt.Errorf("dist: rank %d: panic: %v\n%s", r, x, debug.Stack())
				}
				if errs[r] != nil {
					w.once.Do(func() { close(w.end) })
				}
			}()
			errs[r] = rank(&local{w, r})
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, errEnded) {
			return err
		}
	}
	return nil
}

// errEnded is what a rank ends with that waits for one that has ended.
var errEnded = errors.New("dist: another rank has ended")

// world is the ranks of Run.
type world struct {
	n    int
	mail []chan []float64 // from·n + to
	free []chan []float64 // buffers to be used again
	end  chan struct{}
	once sync.Once
}

// local is a rank of Run.
type local struct {
	*world
	rank int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return l.n }

func (l *local) Send(to int, v []float64) {
	k := l.rank*l.n + to
	var b []float64
	select {
	case b = <-l.free[k]:
	default:
	}
	b = append(b[:0], v...)
	select {
	case l.mail[k] <- b:
	case <-l.end:
		panic(errEnded)
	}
}

func (l *local) Recv(from int, v []float64) {
	k := from*l.n + l.rank
	select {
	case b := <-l.mail[k]:
		if len(b) != len(v) {
			panic(fmt.Sprintf("dist: %d numbers where %d were expected", len(b), len(v)))
		}
		copy(v, b)
		select {
		case l.free[k] <- b:
		default:
		}
	case <-l.end:
		panic(errEnded)
	}
}
