package parquet

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// promising returns the bytes of a trajectory whose footer has other numbers.
func promising(t *testing.T, data []byte, change func(m *format.FileMetaData)) []byte {
	t.Helper()
	size := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	var meta format.FileMetaData
	protocol := new(thrift.CompactProtocol)
	at := len(data) - 8 - size
	require.NoError(t, thrift.Unmarshal(protocol, data[at:len(data)-8], &meta))
	change(&meta)
	footer, err := thrift.Marshal(protocol, &meta)
	require.NoError(t, err)
	out := append(bytes.Clone(data[:at]), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), magic...)
}

// TestPromisedRows: a footer that promises more rows than a file can have is refused, before memory is made for them.
func TestPromisedRows(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.parquet")
	r, err := New(path, sim.NewColumns(mech, []int{0}), Options{})
	require.NoError(t, err)
	require.NoError(t, r.Record(&sim.Row{State: mech.Initial()}))
	require.NoError(t, r.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, rows := range []int64{1, -1, 1 << 40, 1 << 62} {
		bad := promising(t, data, func(m *format.FileMetaData) {
			m.NumRows, m.RowGroups[0].NumRows = rows, rows
			for i := range m.RowGroups[0].Columns {
				m.RowGroups[0].Columns[i].MetaData.NumValues = rows
			}
		})
		_, err := NewSource(bytes.NewReader(bad), int64(len(bad)), "run.parquet")
		if rows == 1 {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "run.parquet")
	}
}
