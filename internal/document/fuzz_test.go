package document_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/document"
)

// long are numbers that messages cut.
var long = regexp.MustCompile(`[-+.eE0-9]{60}`)

// valueOf reads the next value into what encoding/json has for it, numbers as their texts.
func valueOf(d *document.Reader) any {
	switch {
	case d.Fatal:
		return nil
	case d.NextIsList():
		list := []any{}
		d.OpenArray()
		for i := 0; d.Element(i); i++ {
			list = append(list, valueOf(d))
		}
		return list
	case d.NextIsObject():
		object := map[string]any{}
		d.OpenObject()
		for seen := map[string]bool{}; ; {
			key, ok := d.Key(seen)
			if !ok {
				return object
			}
			object[key] = valueOf(d)
		}
	case d.NextIsNumber():
		return json.Number(d.Skip())
	case d.NextIsText():
		text, _ := d.Text()
		return string(text)
	case d.Null():
		return nil
	}
	return d.Bool()
}

// place is where a rule of a text that is no JSON says it is.
var place = regexp.MustCompile(`^(.*), at line (\d+), byte (\d+)$`)

// requirePlaces requires that places are in the text, their lines right, and that a text that ends early does so at its end.
func requirePlaces(t *testing.T, text []byte, rules []string) {
	for _, rule := range rules {
		found := place.FindStringSubmatch(rule)
		if found == nil {
			continue
		}
		line, err := strconv.Atoi(found[2])
		require.NoError(t, err)
		at, err := strconv.Atoi(found[3])
		require.NoError(t, err)
		require.LessOrEqual(t, at, len(text), "%q: %s", text, rule)
		require.Equal(t, 1+bytes.Count(text[:at], []byte{'\n'}), line, "%q: %s", text, rule)
		if strings.HasPrefix(rule, "the document ends early") {
			require.Equal(t, len(text), at, "%q: %s", text, rule)
		}
	}
}

// FuzzScanner compares what is read with what encoding/json reads. That one takes what is no UTF-8 or half a character, and repeated keys, as well.
func FuzzScanner(tf *testing.F) {
	f := check.NewFuzz(tf)
	for _, s := range []string{
		`{"a": [1, -2.5e-3, {"b": "x\u00e4\n", "c": null}, true, false], "d": {"e": [], "f": {}}}`, `[[[]]]`, ` 1 `, `"\ud83d\ude00 \"\\\/\b\f\n\r\t"`, `-0`, `0.5E+7`,
		`{"ä": "ö😀"}`, `"\ud83d"`, "\"\xff\"", `[1,]`, `{"a" 1}`, `{"a":1,}`, `{1:2}`, `01`, `+1`, `1.`, `1e`, `tru`, `nulL`, "\"a\nb\"", "{\n\"a\": [1,\n\n x]}", "{\n\"a\":\n [\n", "{}\n\n}", `[1}`, `{]`, ``, `1 2`, `[`, `"`, `{"a":`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		for _, d := range []*document.Reader{document.NewReader(bytes.NewReader(text)), document.NewReader(iotest.OneByteReader(bytes.NewReader(text)))} {
			got := valueOf(d)
			if !d.Fatal {
				d.End()
			}
			list, _ := d.Sorted()
			repeated := false
			var wrong []string
			for _, p := range list {
				if p.Rule == "duplicate key" {
					repeated = true
				} else {
					wrong = append(wrong, p.Rule)
				}
			}
			require.NoError(t, d.Err())
			requirePlaces(t, text, wrong)
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.UseNumber()
			var want any
			valid := json.Valid(text) && dec.Decode(&want) == nil
			if len(wrong) > 0 {
				strict := !utf8.Valid(text) || strings.Contains(wrong[0], "surrogate") || strings.Contains(wrong[0], "escape")
				require.True(t, !valid || strict, "%q: %q", text, wrong)
				continue
			}
			require.True(t, valid, "%q", text)
			if !repeated && !long.Match(text) {
				require.Equal(t, want, got, "%q", text)
			}
		}
	})
}

// TestScannerReadsTheCorpus: all JSON of the repository's models is read as encoding/json reads it.
func TestScannerReadsTheCorpus(t *testing.T) {
	read := 0
	require.NoError(t, filepath.WalkDir("../../reference", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var want any
		if dec.Decode(&want) != nil || len(text) > 1<<18 {
			return nil
		}
		r := document.NewReader(bytes.NewReader(text))
		got := valueOf(r)
		if r.Len() > 0 {
			return nil // keys that are there twice, numbers beyond 60 digits
		}
		require.Equal(t, want, got, path)
		read++
		return nil
	}))
	require.Greater(t, read, 150)
}

// TestAppend: numbers are those of encoding/json, and texts say what they said.
func TestAppend(t *testing.T) {
	rng := check.Rand(7)
	for range 100_000 {
		x := rng.NormFloat64()
		for range rng.IntN(30) {
			x *= [2]float64{1e-3, 1e3}[rng.IntN(2)]
		}
		want, err := json.Marshal(x)
		require.NoError(t, err)
		require.Equal(t, string(want), string(document.AppendNumber(nil, x)))
	}
	for _, x := range []float64{0, 1e21, 1e-6, 9.99e-7, 1e-7, 1e20, 5e-324, 1.7976931348623157e308} {
		want, err := json.Marshal(x)
		require.NoError(t, err)
		require.Equal(t, string(want), string(document.AppendNumber(nil, x)))
	}
	for _, s := range []string{"", "a", `"\/`, "\b\f\n\r\t\x00\x1f\x7f", "ä😀<>&\u2028", "\xff a\xc3"} {
		var back string
		text := document.AppendText(nil, s)
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, strings.ToValidUTF8(strings.ReplaceAll(s, "\xff a\xc3", "\ufffd a\ufffd"), "\ufffd"), back)
	}
	require.Equal(t, `"\u0001<\u001f`+"\u2028\"", string(document.AppendText(nil, "\x01<\x1f\u2028")))
}
