package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
)

// TestRead reads what write writes, and refuses numbers of poses that cannot be.
func TestRead(t *testing.T) {
	const joints = 6
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := bench.Arm(joints)
	ok(err)
	mech, err := mechanism.New(m)
	ok(err)
	file := filepath.Join(t.TempDir(), "poses")
	for poses, want := range map[int]string{-3: ": -3 poses", 0: ": 0 poses", 5: ""} {
		f, err := os.Create(file)
		ok(err)
		ok(write(f, m, mech, poses))
		ok(f.Close())
		list, err := read(file, joints)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, not %s", err, want)
			}
			continue
		}
		ok(err)
		if len(list) != poses {
			t.Fatalf("%d poses, not %d", len(list), poses)
		}
		for _, p := range list {
			q := p.orientation
			if size := math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3])); !(math.Abs(size-1) <= 1e-12) {
				t.Errorf("a quaternion of size %v", size)
			}
		}
	}
}
