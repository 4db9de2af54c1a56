package table

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/outfile"
)

var columns = []Column{{Name: "n", Kind: Int}, {Name: "x", Kind: Float}, {Name: "s", Kind: Text}}

type row struct {
	N int64    `parquet:"n"`
	X *float64 `parquet:"x,optional"`
	S *string  `parquet:"s,optional"`
}

func part(k int) [][]Cell {
	return [][]Cell{{{Int: int64(2 * k)}, {Float: 0.5 * float64(k)}, {Text: ""}}, {{Int: int64(2*k + 1)}, {Null: true}, {Null: true}}}
}

// TestTable: parts in any order, by several tables one after the other, make the same file; missing values stay
// missing; parts are removed, and nothing else.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, order ...int) []byte {
		path := filepath.Join(dir, name)
		for _, k := range order {
			tab, err := newTable(path, "rung-test/1", "a", columns)
			require.NoError(t, err)
			require.NoError(t, tab.write(k, part(k)))
			require.NoError(t, tab.release())
		}
		tab, err := newTable(path, "rung-test/1", "a", columns)
		require.NoError(t, err)
		defer func() { require.NoError(t, tab.release()) }()
		require.False(t, tab.whole())
		require.NoError(t, tab.join(3, func() {}))
		require.True(t, tab.whole())
		other := filepath.Join(path+partsEnding, "notes.txt")
		require.NoError(t, os.WriteFile(other, nil, 0o666))
		require.NoError(t, tab.remove())
		left, err := os.ReadDir(path + partsEnding)
		require.NoError(t, err)
		require.Len(t, left, 1)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return text
	}
	require.Equal(t, write("a.parquet", 0, 1, 2), write("b.parquet", 2, 0, 1, 0))
	rows, err := pq.ReadFile[row](filepath.Join(dir, "a.parquet"))
	require.NoError(t, err)
	require.Len(t, rows, 6)
	for i, r := range rows {
		require.Equal(t, int64(i), r.N)
		if i%2 == 1 {
			require.Nil(t, r.X)
			require.Nil(t, r.S)
			continue
		}
		require.Equal(t, 0.25*float64(i), *r.X)
		require.Equal(t, "", *r.S)
	}
}

// TestOthers: parts of other tables and files that are none are refused.
func TestOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	use := func(format, sum string, f func(tab *table)) {
		tab, err := newTable(path, format, sum, columns)
		require.NoError(t, err)
		f(tab)
		require.NoError(t, tab.release())
	}
	use("rung-test/1", "a", func(tab *table) { require.NoError(t, tab.write(0, part(0))) })
	use("rung-test/1", "b", func(tab *table) {
		_, err := tab.has(0)
		require.ErrorContains(t, err, "is not of this sweep")
		require.Error(t, tab.join(1, func() {}))
		require.False(t, tab.whole())
	})
	use("rung-other/1", "a", func(tab *table) { require.ErrorContains(t, tab.remove(), "but is none") })
	use("rung-test/1", "a", func(tab *table) {
		has, err := tab.has(0)
		require.NoError(t, err)
		require.True(t, has)
		has, err = tab.has(1)
		require.NoError(t, err)
		require.False(t, has)
		part := filepath.Join(path+partsEnding, "00000000.parquet")
		require.NoError(t, os.Truncate(part, 20))
		_, err = tab.has(0)
		require.ErrorContains(t, err, part)
	})
}

// TestPartsKnowTheirPlace: a part, or the whole table, that was copied over a part is damage there, and no rows of it are joined.
func TestPartsKnowTheirPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	tab, err := newTable(path, "rung-test/1", "a", columns)
	require.NoError(t, err)
	defer func() { require.NoError(t, tab.release()) }()
	write := func() {
		for k := range 3 {
			require.NoError(t, tab.write(k, part(k)))
		}
	}
	write()
	require.NoError(t, tab.join(3, func() {}))
	first, last := filepath.Join(path+partsEnding, "00000000.parquet"), filepath.Join(path+partsEnding, "00000002.parquet")
	for _, from := range []string{first, path} {
		write()
		data, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(last, data, 0o666))
		_, err = tab.has(2)
		require.ErrorIs(t, err, outfile.ErrDamaged)
		require.ErrorContains(t, err, last)
		require.Error(t, tab.join(3, func() {}))
	}
	data, err := os.ReadFile(first)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o666))
	require.False(t, tab.whole())
}

// TestRead gives the columns that were asked for, in their order, and refuses files and columns that are none.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	tab, err := newTable(path, "rung-test/1", "a", columns)
	require.NoError(t, err)
	require.NoError(t, tab.write(0, part(0)))
	require.NoError(t, tab.write(1, part(1)))
	require.NoError(t, tab.join(2, func() {}))
	require.NoError(t, tab.release())
	var got [][]Cell
	take := func(cells []Cell) error {
		got = append(got, slices.Clone(cells))
		return nil
	}
	require.NoError(t, Read(path, "rung-test/1", []Column{columns[2], columns[1], columns[0]}, take))
	var want [][]Cell
	for _, r := range append(part(0), part(1)...) {
		want = append(want, []Cell{r[2], r[1], r[0]})
	}
	require.Equal(t, want, got)
	require.ErrorContains(t, Read(path, "rung-other/1", columns, take), "is no table of rung-other/1")
	require.ErrorContains(t, Read(path, "rung-test/1", []Column{{Name: "y"}}, take), `has no column "y"`)
	require.ErrorContains(t, Read(path, "rung-test/1", []Column{{Name: "x", Kind: Text}}, take), `column "x" is of type DOUBLE, not BYTE_ARRAY`)
	require.ErrorIs(t, Read(path, "rung-test/1", columns, func([]Cell) error { return os.ErrClosed }), os.ErrClosed)
}
