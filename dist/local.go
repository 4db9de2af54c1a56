package dist

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Run calls rank once for each of n ranks, as goroutines of this process, and waits for all. It returns the error of
// the lowest rank that has failed by itself. If a rank fails, panics or is ended by runtime.Goexit, the others end where
// they wait for it. It is also an error if a rank waits for numbers of a rank that has returned, or if a rank returns before it has taken
// all numbers sent to it.
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
	for range n {
		w.gone = append(w.gone, make(chan struct{}))
	}
	errs := make([]error, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() {
			errs[r] = fmt.Errorf("dist: rank %d: ended by runtime.Goexit", r)
			defer func() {
				switch x := recover().(type) {
				case nil:
				case ended:
					errs[r] = x.error
				default:
					errs[r] = fmt.Errorf("dist: rank %d: panic: %v\n%s", r, x, debug.Stack())
				}
				if errs[r] != nil {
					w.once.Do(func() { close(w.end) })
				}
				close(w.gone[r])
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
	return w.unread()
}

// errEnded is the error of a rank that is ended while it waits, because another rank has failed.
var errEnded = errors.New("dist: another rank has ended")

// ended is the value of the panic that ends a rank while it waits.
type ended struct{ error }

// world has the channels between the ranks of Run.
type world struct {
	n    int
	mail []chan []float64 // by from·n + to: messages
	free []chan []float64 // by from·n + to: buffers for reuse
	gone []chan struct{}  // by rank: closed when it has ended
	end  chan struct{}    // closed when a rank has failed
	once sync.Once
}

// unread returns an error if a rank that has ended was sent numbers that it did not take.
func (w *world) unread() error {
	for k, c := range w.mail {
		if len(c) > 0 {
			return fmt.Errorf("dist: rank %d has ended and has not taken what rank %d has sent it", k%w.n, k/w.n)
		}
	}
	return nil
}

// local is a rank of Run.
type local struct {
	*world
	rank int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return l.n }

// mustBe panics unless other is another rank.
func (l *local) mustBe(other int) {
	if other < 0 || other >= l.n || other == l.rank {
		panic("dist: not another rank of the run")
	}
}

// Send implements Comm. It ends the rank by a panic of type ended if the other rank or the run has ended.
func (l *local) Send(to int, v []float64) {
	l.mustBe(to)
	k := l.rank*l.n + to
	var b []float64
	select {
	case b = <-l.free[k]:
	default:
	}
	b = append(b[:0], v...)
	select {
	case l.mail[k] <- b:
	case <-l.gone[to]:
		l.stop(to, "sends to")
	case <-l.end:
		panic(ended{errEnded})
	}
}

// Recv implements Comm. It panics if the other rank has sent a message of another length. It ends the rank by a panic of type ended if the
// other rank or the run has ended.
func (l *local) Recv(from int, v []float64) {
	l.mustBe(from)
	k := from*l.n + l.rank
	var b []float64
	select {
	case b = <-l.mail[k]:
	case <-l.gone[from]:
		select {
		case b = <-l.mail[k]: // sent before it ended
		default:
			l.stop(from, "waits for")
		}
	case <-l.end:
		panic(ended{errEnded})
	}
	if len(b) != len(v) {
		panic(fmt.Sprintf("dist: %d numbers where %d were expected", len(b), len(v)))
	}
	copy(v, b)
	select {
	case l.free[k] <- b:
	default:
	}
}

// stop ends this rank by a panic, as the other rank, which it needs, has ended. Its error is errEnded if a rank of the run has failed.
func (l *local) stop(other int, needs string) {
	select {
	case <-l.end:
		panic(ended{errEnded})
	default:
		panic(ended{fmt.Errorf("dist: rank %d %s rank %d, which has ended", l.rank, needs, other)})
	}
}
