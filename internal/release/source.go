package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// command returns a command in a folder. Its environment is the present one without variables that could change the files of the release,
// with fixed values for some, and with more.
func (r *release) command(dir string, more []string, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(r.ctx, name, args...)
	c.Dir = dir
	for _, e := range os.Environ() {
		key, _, _ := strings.Cut(e, "=")
		switch key {
		case "GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOWORK", "CGO_ENABLED", "CGO_CFLAGS", "CGO_LDFLAGS",
			"CC", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "TZ", "LC_ALL", "SOURCE_DATE_EPOCH",
			"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE":
		default:
			c.Env = append(c.Env, e)
		}
	}
	c.Env = append(c.Env, "GOFLAGS=-buildvcs=true", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "LC_ALL=C", "TZ=UTC")
	if !r.epoch.IsZero() {
		c.Env = append(c.Env, "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.epoch.Unix(), 10))
	}
	c.Env = append(c.Env, more...)
	return c
}

// output runs a command, and returns its output without white space around it. An error has the output and the messages of the command.
func output(c *exec.Cmd) (string, error) {
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, out, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// git runs git in a folder.
func (r *release) git(dir string, args ...string) (string, error) {
	return output(r.command(dir, nil, "git", args...))
}

// checkout clones the present commit, tags it with the version there, and finds the time of the release.
func (r *release) checkout() error {
	root, err := r.git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if r.commit, err = r.git(root, "rev-parse", "HEAD"); err != nil {
		return err
	}
	if err := r.compareTag(root); err != nil {
		return err
	}
	r.source = filepath.Join(r.work, "rung")
	for _, args := range [][]string{
		{"init", "-q", r.source},
		{"-C", r.source, "fetch", "-q", "--no-tags", "--depth", "1", "file://" + root, "HEAD"},
		{"-C", r.source, "-c", "advice.detachedHead=false", "checkout", "-q", "FETCH_HEAD"},
		{"-C", r.source, "tag", r.version.tag()},
	} {
		if _, err := r.git("", args...); err != nil {
			return err
		}
	}
	r.epoch, err = r.time(os.Getenv("SOURCE_DATE_EPOCH"))
	return err
}

// compareTag checks the repository. A tag of the version at another commit is an error; no tag, and changes that are in no commit, are
// reasons not to publish.
func (r *release) compareTag(root string) error {
	at, err := r.git(root, "rev-parse", "-q", "--verify", "refs/tags/"+r.version.tag()+"^{commit}")
	switch {
	case err != nil:
		r.held = append(r.held, "the commit has no tag "+r.version.tag())
	case at != r.commit:
		return fmt.Errorf("the tag %s is at commit %s, and this is %s", r.version.tag(), at, r.commit)
	}
	changed, err := r.git(root, "status", "--porcelain")
	if changed != "" {
		r.held = append(r.held, fmt.Sprintf("%d files differ from the commit, and are as in the commit here", strings.Count(changed, "\n")+1))
	}
	return err
}

// zipFirst and zipLast are the times that zip files can hold, s since 1970: from the start of 1980 to the end of 2107.
const zipFirst, zipLast = 315532800, 4354819199

// time returns the time of all files: epoch, the value of SOURCE_DATE_EPOCH, or the time of the commit if it is empty.
func (r *release) time(epoch string) (time.Time, error) {
	if epoch == "" {
		var err error
		if epoch, err = r.git(r.source, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	s, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || s < zipFirst || s > zipLast {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q: seconds since 1970, of a year from 1980 to 2107, which zip files can hold", epoch)
	}
	return time.Unix(s, 0).UTC(), nil
}

// read returns a file of the clone.
func (r *release) read(name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
	return string(b), err
}

var (
	cited  = regexp.MustCompile(`(?m)^version: "?([^"\n]+)"?$`)
	listed = regexp.MustCompile(`(?m)^(\S+) (v\S+): `)
)

// describe writes the notes of the release from CHANGELOG.md. It notes reasons not to publish if the changelog or CITATION.cff is not of
// this version.
func (r *release) describe() error {
	changelog, err := r.read("CHANGELOG.md")
	if err != nil {
		return err
	}
	text, dated := notes(changelog, r.version)
	if text == "" {
		return fmt.Errorf("CHANGELOG.md has nothing below a heading [%s] or [Unreleased]", r.version)
	}
	if !dated {
		r.held = append(r.held, fmt.Sprintf("CHANGELOG.md has no heading \"## [%s] - DATE\"; the notes are those of its first part", r.version))
	}
	citation, err := r.read("CITATION.cff")
	if err != nil {
		return err
	}
	if m := cited.FindStringSubmatch(citation); m == nil || m[1] != r.version.String() {
		r.held = append(r.held, fmt.Sprintf("CITATION.cff has no line \"version: %s\"", r.version))
	}
	return r.write("notes.md", []byte(text))
}

// licences reads the modules that NOTICE lists.
func (r *release) licences() error {
	notice, err := r.read("NOTICE")
	if err != nil {
		return err
	}
	r.licensed = map[string]bool{}
	table, _, _ := strings.Cut(notice, "\n-----")
	for _, m := range listed.FindAllStringSubmatch(table, -1) {
		r.licensed[m[1]+"@"+m[2]] = true
	}
	return nil
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

// host is the platform of this machine.
var host = platform{runtime.GOOS, runtime.GOARCH}
