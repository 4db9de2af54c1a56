package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

const (
	// galleryPart is the part of the pixels of a picture that processors may round differently.
	galleryPart = 0.01
	// gallerySize is the most that a picture of the gallery may have, bytes.
	gallerySize = 60_000
	// filmSize is the most that a moving picture may have, bytes.
	filmSize = 600_000
)

// TestGallery runs the page of mechanisms: its commands print what it says, draw its pictures, and its table has the
// counts of their models. -update rewrites the pictures.
//
//rung:norace the goroutine feeds a pipe; the commands have race tests of their own
func TestGallery(t *testing.T) {
	check.Long(t)
	page := readText(t, filepath.Join("..", "..", "docs", "gallery.md"))
	folder, err := filepath.Abs(filepath.Join("..", "..", "docs", "gallery"))
	require.NoError(t, err)
	models := map[string]string{}
	for _, name := range []string{"excavator.model.json", "coaster.model.json", "coaster.csv", "followers.model.json"} {
		models[name] = readText(t, filepath.Join("..", "..", "docs", name))
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("docs", 0o700))
	for name, text := range models {
		require.NoError(t, os.WriteFile(filepath.Join("docs", name), []byte(text), 0o600))
	}
	assert.Equal(t, 45, runPage(t, page))

	shown := regexp.MustCompile(`!\[[^]]+\]\(gallery/(.*?)\)`).FindAllStringSubmatch(page, -1)
	require.Len(t, shown, 18)
	films := 0
	for _, m := range shown {
		got, err := os.ReadFile(m[1])
		require.NoError(t, err)
		if path := filepath.Join(folder, m[1]); filepath.Ext(path) == ".gif" {
			films++
			assert.Less(t, len(got), filmSize, m[1])
			check.Film(t, path, got, galleryPart)
			continue
		}
		assert.Less(t, len(got), gallerySize, m[1])
		check.Picture(t, filepath.Join(folder, m[1]), got, galleryPart)
	}
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, files, len(shown), "files that the page does not show")

	rows := regexp.MustCompile("(?m)^\\| `(\\S+) \\d+` \\|(.*)\\|$").FindAllStringSubmatch(page, -1)
	const own = 2 // the coaster and the followers are no families
	require.Len(t, rows, len(shown)-films-own)
	for _, row := range rows {
		path := row[1] + ".json"
		m, err := model.ReadFile(path)
		require.NoError(t, err)
		c := accelJSON(t, path).Constraints
		loops := len(m.Joints) - len(m.Bodies)
		if row[1] == "tracked" || row[1] == "biped" {
			loops++ // no joint holds it to the world
		}
		var counts []string
		for _, n := range []int{len(m.Bodies), len(m.Joints), loops, c.Rows, c.Redundant, c.Mobility} {
			counts = append(counts, strconv.Itoa(n))
		}
		assert.Equal(t, fmt.Sprintf(" %s ", strings.Join(counts, " | ")), row[2], row[1])
	}

	played := regexp.MustCompile("(?m)^rung (play .*)$").FindAllStringSubmatch(page, -1)
	require.Len(t, played, len(rows)+own, "each model has the command that plays it")
	for _, line := range played {
		requirePlays(t, fields(line[1]))
	}
	for _, name := range regexp.MustCompile(`-o ([a-z]+\.html)`).FindAllStringSubmatch(page, -1) {
		info, err := os.Stat(name[1])
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(200_000), name[1])
	}
}

// requirePlays runs a command that serves a page, which has to answer with its scene, until then.
func requirePlays(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	from, to := io.Pipe()
	cmd := newRoot()
	cmd.SetArgs(append(args, "--no-browser"))
	cmd.SetOut(to)
	ended := make(chan error, 1)
	go func() { ended <- to.CloseWithError(cmd.ExecuteContext(ctx)) }()
	address, err := bufio.NewReader(from).ReadString('\n')
	require.NoError(t, err, args)
	for path, kind := range map[string]string{"": "text/html", "scene.json": "application/json", "frame": "application/octet-stream"} {
		r, err := http.Get(strings.TrimSpace(address) + path)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, r.StatusCode, "%v: %s", args, path)
		assert.Contains(t, r.Header.Get("Content-Type"), kind)
		require.NoError(t, r.Body.Close())
	}
	cancel()
	<-ended
}
