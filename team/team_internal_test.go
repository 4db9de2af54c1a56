package team

import (
	"runtime"
	"testing"
)

// TestWaitOutlastsLateWord: one who has ended the last task of a round, and has been held up before saying so, finds
// the next round's Run asleep.
func TestWaitOutlastsLateWord(t *testing.T) {
	s := &shared{done: make(chan struct{}, 1)}
	s.left.Store(1)
	returned := make(chan struct{})
	go func() {
		s.wait()
		close(returned)
	}()
	say := func() {
		for !s.asleep.CompareAndSwap(true, false) {
			runtime.Gosched()
		}
		s.done <- struct{}{}
	}
	say()
	for !s.asleep.Load() {
		select {
		case <-returned:
			t.Fatal("it returned with a task left")
		default:
			runtime.Gosched()
		}
	}
	s.left.Store(0)
	say()
	<-returned
}
