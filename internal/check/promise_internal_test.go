package check

import (
	"slices"
	"testing"
)

// TestAllowed: a change is allowed by a line with a reason of at least two words, and by no other.
func TestAllowed(t *testing.T) {
	may, bad := allowed("# sim: type T int  # it is a comment\n\nsim: func A(int)  # replaced by B\n  sim: func C()\nsim: func D()  # why\nsim: func E() # one space\n")
	if len(may) != 1 || !may["sim: func A(int)"] {
		t.Errorf("allowed: %v", may)
	}
	if want := []string{"sim: func C()", "sim: func D()  # why", "sim: func E() # one space"}; !slices.Equal(bad, want) {
		t.Errorf("without a reason: %q", bad)
	}
}
