package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/fault"
)

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"elbow":              `"elbow"`,
		"Gelenk ä":           `"Gelenk ä"`,
		"":                   `""`,
		"a\nb\tc":            `"a\nb\tc"`,
		"\x1b[31mred":        `"\x1b[31mred"`,
		"\xff":               `"\xff"`,
		"\u202eright\u2066":  `"\u202eright\u2066"`,
		"zero\u200bwidth":    `"zero\u200bwidth"`,
		`he said "no"`:       `"he said \"no\""`,
		"line\u2028separate": `"line\u2028separate"`,
	} {
		require.Equal(t, want, fault.Name(name))
	}
}

// TestLongNames: what is printed is bounded, and tells names apart that differ at an end.
func TestLongNames(t *testing.T) {
	const most = 4*60 + 2 // every byte of them an escape
	for _, unit := range []string{"a", "ä", "\x00", "\xff", "😀"} {
		long := strings.Repeat(unit, 100_000)
		require.LessOrEqual(t, utf8.RuneCountInString(fault.Name(long)), most)
		require.LessOrEqual(t, utf8.RuneCountInString(fault.Text(long, 40)), 40)
		require.NotEqual(t, fault.Name(long+"1"), fault.Name(long+"2"))
		require.NotEqual(t, fault.Name("1"+long), fault.Name("2"+long))
	}
	sixty := strings.Repeat("ä", 60)
	require.Equal(t, `"`+sixty+`"`, fault.Name(sixty))
}

func TestText(t *testing.T) {
	require.Equal(t, "elbow", fault.Text("elbow", 40))
	require.Equal(t, `" elbow"`, fault.Text(" elbow", 40))
	require.Equal(t, `"a\x1b"`, fault.Text("a\x1b", 40))
	require.Equal(t, "ab…yz", fault.Text("abcdefghijklmnopqrstuvwxyz", 5))
}

func TestLine(t *testing.T) {
	require.Equal(t, `no file "x\x1b[2J\n"`, fault.Line("no file \"x\x1b[2J\n\""))
	require.Equal(t, `\xff\u202e.json`, fault.Line("\xff\u202e.json"))
}

// TestOnePrefix: a chain of errors has the prefix of the outermost, and is still a chain.
func TestOnePrefix(t *testing.T) {
	inner := errors.New("factor: pivot 3")
	middle := fault.Errorf("rung: joint %s: %w", fault.Name("p"), inner)
	outer := fault.Errorf("sim: at t = %v: %w: %w", 1.0, errors.New("step too small"), middle)
	require.EqualError(t, outer, `sim: at t = 1: step too small: joint "p": pivot 3`)
	require.ErrorIs(t, outer, inner)
	head := fault.Errorf("%w: %d is left", errors.New("tree: not closed"), 3)
	require.EqualError(t, head, "tree: not closed: 3 is left")
	require.EqualError(t, fault.Plain(head), "not closed: 3 is left")
	other := fmt.Errorf("open x: no such file")
	require.Same(t, other, fault.Plain(other))
}

// TestPlainOfJoinedErrors: no line of joined errors begins with a package, whoever wraps them; lines of one error stay.
func TestPlainOfJoinedErrors(t *testing.T) {
	first, second := errors.New("ground: along x"), errors.New("ground: along y")
	joined := errors.Join(first, second, errors.New("open x: no such file"))
	plain := fault.Plain(joined)
	require.EqualError(t, plain, "along x\nalong y\nopen x: no such file")
	require.ErrorIs(t, plain, second)
	require.EqualError(t, fault.Errorf("sim: %w", joined), "sim: along x\nalong y\nopen x: no such file")
	require.EqualError(t, fault.Plain(fmt.Errorf("model: a field: %w", joined)), "a field: ground: along x\nalong y\nopen x: no such file")
	require.EqualError(t, fault.Plain(errors.New("ground: line 1 is\nsim: 3")), "line 1 is\nsim: 3")
}

// TestEscape: names that differ in what does not print stay different, and on one line.
func TestEscape(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a b", "a\nb", "a\r\nb", "a\rb", `a\nb`, "a\tb", "a\u00a0b", "a\u2028b", "a\xffb", `a\xffb`, `a\b`} {
		field := fault.Escape(name)
		require.NotContains(t, field, "\n")
		require.Empty(t, seen[field], "%q", name)
		seen[field] = name
	}
	require.Equal(t, "a b", fault.Escape("a b"))
}
