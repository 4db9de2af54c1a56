package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// TestRun runs this test program as the one that is measured. TestInside is all that it does.
func TestRun(t *testing.T) {
	into := filepath.Join(t.TempDir(), "times")
	inside := []string{os.Args[0], "-test.run=^TestInside$"}
	for _, c := range []struct {
		name, inside string
		args         []string
		into         string
		most         time.Duration
		status       int
		text         string
	}{
		{"quick", "quick", inside, into, time.Minute, 0, `^$`},
		{"too long", "quick", inside, into, 1, 1, `^processor: \d+\.\d s, more than 1ns: `},
		{"no limit", "quick", inside, "", 0, 0, `^$`},
		{"fails", "fails", inside, into, 1, 1, `^$`},
		{"none", "quick", nil, into, 1, 2, `^processor: a test program is needed\n$`},
		{"not there", "quick", []string{"/not/there"}, into, 1, 2, `^processor: .*not/there`},
		{"no file", "quick", inside, filepath.Dir(into), 1, 2, `^processor: .*directory`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("RUNG_PROCESSOR_TEST", c.inside)
			var errs bytes.Buffer
			if status := run(c.args, c.into, c.most, &errs); status != c.status || !regexp.MustCompile(c.text).MatchString(errs.String()) {
				t.Errorf("%d, %s", status, &errs)
			}
		})
	}
	times, err := os.ReadFile(into)
	if err != nil || !regexp.MustCompile(`^(\d+\.\d\d .*processor\n){2}$`).Match(times) {
		t.Errorf("of those that passed and were noted: %s, %v", times, err)
	}
}

// TestInside fails where TestRun wants a program that does.
func TestInside(t *testing.T) {
	if os.Getenv("RUNG_PROCESSOR_TEST") == "fails" {
		t.Fail()
	}
}
