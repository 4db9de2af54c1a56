package taskfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik"
)

const fileTask = `{"format": "rung-ik/1", "targets": [{"name": "tip.of", "type": "pose", "body": "b"}, {"name": "d", "type": "coordinate", "freedom": "j"}],
 "path": {"file": "way/tool.csv", "interpolation": "spline", "exact": true}}`

// TestPathFile: a CSV gives the waypoints that the document could have, whatever the order of its columns.
func TestPathFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "way"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "way", "tool.csv"), []byte("\ufefftip.of.px, tip.of.py, tip.of.pz, time, tip.of.qw, tip.of.qx, tip.of.qy, tip.of.qz, d.value\r\n1,2,3,0,1,0,0,0,7\r\n4,5,6,0.5,0,1,0,0,8\r\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "task.json"), []byte(fileTask), 0o600))
	task, err := Open(filepath.Join(dir, "task.json"))
	require.NoError(t, err)
	require.Equal(t, &ik.Path{Spline: true, Exact: true, Times: []float64{0, 0.5}, Targets: []ik.Waypoints{
		{Target: "tip.of", Position: [][3]float64{{1, 2, 3}, {4, 5, 6}}, Orientation: [][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}}},
		{Target: "d", Value: []float64{7, 8}},
	}}, task.Path)
	require.Equal(t, [3]float64{1, 2, 3}, task.Targets[0].Position, "targets without a place have the first one")
}

// TestPathFileFaults: each rule is told with line, column and value.
func TestPathFileFaults(t *testing.T) {
	for csv, says := range map[string]string{
		"":                                    `has no line of names`,
		"d.value\n1\n":                        `there is no column time`,
		"Time,d.value\n0,1\n":                 `there is no column time, did you mean Time?`,
		"time,time\n":                         `(value "time")|line 1, column 6: is given twice`,
		"time,speed\n":                        `line 1, column 6: is no column`,
		"time,d.px\n":                         `lacks its column "d.py"`,
		"time,d.value\n0,1\n1,x\n":            `line 3, column 3: is not a finite number|"x"`,
		"time,d.value\n0,1\n1,Inf\n":          `line 3, column 3: is not a finite number`,
		"time,d.value\n0,1\n0,2\n":            `line 3, column 1: is not after the time before it, 0`,
		"time,d.value\n0,1\n1,2,3\n":          `line 3`,
		"time,d.value\n0,\"1\n":               `line`,
		"time,d.qx,d.qw,d.qy,d.qz\n0,1,1,0,0": `line 2, column 5: is not a unit quaternion`,
	} {
		_, err := ReadIn(strings.NewReader(fileTask), "task.json", fstest.MapFS{"way/tool.csv": {Data: []byte(csv)}})
		require.ErrorContains(t, err, "task.json: $.path.file", csv)
		for _, part := range strings.Split(says, "|") {
			require.ErrorContains(t, err, part, csv)
		}
	}
	for doc, says := range map[string]string{
		fileTask: `$.path.file: cannot be read in the folder of the task: file does not exist (value "way/tool.csv")`,
		strings.Replace(fileTask, "way/", "../", 1):                         "is no path below the folder of the task",
		strings.Replace(fileTask, `"exact"`, `"times": [0, 1], "exact"`, 1): "$.path.times",
	} {
		_, err := ReadIn(strings.NewReader(doc), "task.json", fstest.MapFS{})
		require.ErrorContains(t, err, says)
	}
	_, err := Read(strings.NewReader(fileTask), "task.json")
	require.ErrorContains(t, err, "not read from a folder")
}
