package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersions(t *testing.T) {
	for text, want := range map[string][2]string{
		"0.1.0": {"v0.1.0", "0.1.0"}, "1.20.3": {"v1.20.3", "1.20.3"},
		"0.2.0-rc.1": {"v0.2.0-rc.1", "0.2.0~rc.1"}, "0.2.0-alpha.10": {"v0.2.0-alpha.10", "0.2.0~alpha.10"},
	} {
		v, err := parseVersion(text)
		require.NoError(t, err)
		assert.Equal(t, want, [2]string{v.tag(), v.debian()}, text)
	}
	for _, text := range []string{"", "v0.1.0", "0.1", "0.1.0-rc1", "0.1.0-next.1", "0.1.0+x",
		"00.1.0", "0.1.0-rc.01", "0.1.0\n", "../0.1.0",
	} {
		_, err := parseVersion(text)
		assert.ErrorContains(t, err, "is no version", "%q", text)
	}
}

func TestNotes(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\nnew\n\n### Added\n\n- a\n\n" +
		"## [0.2.0] - 2026-12-24\n\nsecond\n\n## [0.2.0-rc.1]\n\nfirst try\n"
	for _, c := range []struct {
		version, want string
		dated         bool
	}{{"0.2.0", "second\n", true}, {"0.2.0-rc.1", "first try\n", false}, {"0.3.0", "new\n\n### Added\n\n- a\n", false}} {
		v, err := parseVersion(c.version)
		require.NoError(t, err)
		text, dated := notes(changelog, v)
		assert.Equal(t, c.want, text)
		assert.Equal(t, c.dated, dated)
	}
	text, dated := notes("# Changelog\n", version{"0.1.0", ""})
	assert.True(t, text == "" && !dated)
}

// sample is a tree with all kinds of entry, in no order.
var sample = tree{
	{name: "share/b.txt", data: bytes.Repeat([]byte("text "), 5000)}, {name: "rung", data: []byte("program"), program: true},
	{name: "share/man/a.1", data: []byte("page")},
}

// TestArchives: equal trees give equal bytes in any order of their entries; modes, owners and times are not those of this machine.
func TestArchives(t *testing.T) {
	at := time.Unix(1795954367, 0).UTC()
	linked := append(sample[:3:3], entry{name: "lib/librung.so", link: "librung-1.so"})
	turned := tree{linked[3], linked[1], linked[2], linked[0]}
	a, err := linked.tarGz(at)
	require.NoError(t, err)
	b, err := turned.tarGz(at)
	require.NoError(t, err)
	require.Equal(t, a, b)
	z, err := gzip.NewReader(bytes.NewReader(a))
	require.NoError(t, err)
	modes := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.True(t, h.ModTime.Equal(at) && h.Uid == 0 && h.Uname == "root", h.Name)
		modes[h.Name] = h.FileInfo().Mode().String()
	}
	require.Equal(t, map[string]string{
		"lib/": "drwxr-xr-x", "lib/librung.so": "Lrwxrwxrwx", "rung": "-rwxr-xr-x", "share/": "drwxr-xr-x", "share/b.txt": "-rw-r--r--",
		"share/man/": "drwxr-xr-x", "share/man/a.1": "-rw-r--r--",
	}, modes)

	_, err = linked.zip(at)
	require.ErrorContains(t, err, "lib/librung.so")
	a, err = sample.zip(at)
	require.NoError(t, err)
	b, err = tree{sample[2], sample[0], sample[1]}.zip(at.In(time.FixedZone("there", 7200)))
	require.NoError(t, err)
	require.Equal(t, a, b)
	packed, err := zip.NewReader(bytes.NewReader(a), int64(len(a)))
	require.NoError(t, err)
	require.Len(t, packed.File, 5)
	for _, f := range packed.File {
		require.True(t, f.Modified.Equal(at.Truncate(time.Second)), f.Name)
		if !strings.HasSuffix(f.Name, "/") {
			require.Equal(t, modes[f.Name], f.Mode().String())
		}
	}
}

// TestLay: files of a package have the modes and the time of archives, in folders too.
func TestLay(t *testing.T) {
	r := &release{epoch: time.Unix(1795954367, 0).UTC()}
	folder := filepath.Join(t.TempDir(), "deb")
	require.NoError(t, r.lay(sample, folder))
	n := 0
	require.NoError(t, filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.True(t, info.ModTime().Equal(r.epoch), name)
		want := os.FileMode(0o644)
		if d.IsDir() || d.Name() == "rung" {
			want = 0o755
		}
		require.Equal(t, want, info.Mode().Perm(), name)
		n++
		return nil
	}))
	require.Equal(t, 6, n)
}

// TestPrepareSpares: the folder of the files is emptied of files of releases, and refused if it has others.
func TestPrepareSpares(t *testing.T) {
	dir := t.TempDir()
	r := &release{out: filepath.Join(dir, "out"), work: filepath.Join(dir, "work")}
	require.NoError(t, r.prepare())
	for _, name := range []string{"rung_0.0.9_linux_amd64.tar.gz", "SHA256SUMS"} {
		require.NoError(t, r.write(name, []byte("old")))
	}
	require.NoError(t, r.prepare())
	list, err := os.ReadDir(r.out)
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, r.write("thesis.tex", nil))
	require.ErrorContains(t, r.prepare(), `"thesis.tex"`)
	require.FileExists(t, filepath.Join(r.out, "thesis.tex"))
	require.NoError(t, r.write("notes.md", nil)) // before it in the order of names
	require.Error(t, r.prepare())
	require.FileExists(t, filepath.Join(r.out, "notes.md"), "what is refused has changed nothing")
	r.out = filepath.Join(dir, "more")
	require.NoError(t, os.MkdirAll(filepath.Join(r.out, "rung-mine"), 0o777))
	require.ErrorContains(t, r.prepare(), `"rung-mine"`)
	require.DirExists(t, filepath.Join(r.out, "rung-mine"))
}

// TestEpoch: times that zip files cannot hold are refused.
func TestEpoch(t *testing.T) {
	r := &release{ctx: t.Context()}
	at, err := r.time("1795954367")
	require.NoError(t, err)
	require.Equal(t, "2026-11-29T12:12:47Z", at.Format(time.RFC3339))
	for _, bad := range []string{"0", "-1", "now", "4354819200", "1e9"} {
		_, err := r.time(bad)
		require.ErrorContains(t, err, "SOURCE_DATE_EPOCH \""+bad+"\"")
	}
}

// TestSame: digests that differ, and files that only one folder has, are named.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	a, b := &release{out: filepath.Join(dir, "a")}, &release{out: filepath.Join(dir, "b")}
	put := func(r *release, files map[string]string) {
		require.NoError(t, os.RemoveAll(r.out))
		require.NoError(t, os.MkdirAll(r.out, 0o777))
		for name, text := range files {
			require.NoError(t, r.write(name, []byte(text)))
		}
		require.NoError(t, r.sums())
	}
	put(a, map[string]string{"rung_1": "x", "rung_2": "y"})
	for want, files := range map[string]map[string]string{
		"": {"rung_1": "x", "rung_2": "y"}, "rung_2": {"rung_1": "x", "rung_2": "z"}, "rung_3": {"rung_1": "x", "rung_2": "y", "rung_3": "x"}, "rung_1": {"rung_2": "y"},
	} {
		put(b, files)
		if err := same(a.out, b.out); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "not the same: "+want)
		}
	}
}

// TestFaults: a program of another version or commit, with changes, or with a module that NOTICE does not have, ends a release.
func TestFaults(t *testing.T) {
	r := &release{version: version{"0.1.0", ""}, commit: "abc", licensed: map[string]bool{"a.org/a@v1.0.0": true}}
	good := func() *buildinfo.BuildInfo {
		info := &buildinfo.BuildInfo{Deps: []*debug.Module{{Path: "a.org/a", Version: "v1.0.0"}}}
		info.Main.Version = "v0.1.0"
		for key, value := range map[string]string{"vcs.revision": "abc", "vcs.modified": "false", "-trimpath": "true"} {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		return info
	}
	require.NoError(t, r.fault(good()))
	for want, change := range map[string]func(*buildinfo.BuildInfo){
		`is of version "v0.1.0+dirty"`: func(i *buildinfo.BuildInfo) { i.Main.Version += "+dirty" },
		"NOTICE has no licence of b.org/b v1.0.0": func(i *buildinfo.BuildInfo) {
			i.Deps = append(i.Deps, &debug.Module{Path: "b.org/b", Version: "v1.0.0"})
		},
		"NOTICE has no licence of a.org/a v1.0.1": func(i *buildinfo.BuildInfo) { i.Deps[0].Version = "v1.0.1" },
		"vcs.revision is not noted":               func(i *buildinfo.BuildInfo) { i.Settings = nil },
		`is "maybe", not`: func(i *buildinfo.BuildInfo) {
			for k := range i.Settings {
				i.Settings[k].Value = "maybe"
			}
		},
	} {
		info := good()
		change(info)
		require.ErrorContains(t, r.fault(info), want)
	}
}

// TestCompareBill: a bill without a module of the program, or with one more, is refused.
func TestCompareBill(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(self)
	require.NoError(t, err)
	type component struct{ Name, Version string }
	all := map[component]bool{{"std", info.GoVersion}: true}
	for _, m := range info.Deps {
		all[component{m.Path, m.Version}] = true
	}
	bill := func(c map[component]bool) []byte {
		var list []component
		for k := range c {
			list = append(list, k)
		}
		b, err := json.Marshal(map[string]any{"components": list})
		require.NoError(t, err)
		return b
	}
	require.NoError(t, compareBill(bill(all), self, info))
	for k := range all {
		less := maps.Clone(all)
		delete(less, k)
		require.ErrorContains(t, compareBill(bill(less), self, info), k.Name)
	}
	all[component{"x.org/x", "v1"}] = true
	require.ErrorContains(t, compareBill(bill(all), self, info), "x.org/x")
}

// TestLicenceTexts: every kind of archive is looked into, and one without a licence, with another text, or of a kind that nobody looks into is refused.
func TestLicenceTexts(t *testing.T) {
	r := &release{ctx: t.Context(), source: t.TempDir(), out: t.TempDir(), work: t.TempDir(), epoch: time.Unix(1795954367, 0).UTC()}
	for name, text := range map[string]string{"LICENSE": "BSD\nof Rung\n", "NOTICE": "modules\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(r.source, name), []byte(text), 0o666))
	}
	licence, notice := entry{name: "LICENSE", data: []byte("BSD\nof Rung\n")}, entry{name: "x/NOTICE", data: []byte("modules\n")}
	packed, err := compressed(notice.data)
	require.NoError(t, err)
	dll, runtime := entry{name: "bin/librung-1.dll", data: make([]byte, mostPaper+1)}, entry{name: "y/" + runtimeLicence, data: []byte("of it")}
	only := func(name string, t tree) {
		list, err := os.ReadDir(r.out)
		if err == nil && len(list) > 0 {
			err = os.Remove(filepath.Join(r.out, list[0].Name()))
		}
		if err == nil {
			err = r.pack(t, strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz"), strings.HasSuffix(name, ".zip"))
		}
		if err != nil {
			panic(err)
		}
	}
	for _, c := range []struct {
		of   tree
		want string
	}{
		{tree{licence, notice}, ""}, {tree{licence, {name: "NOTICE.gz", data: packed}}, ""}, {tree{dll, licence, notice, runtime}, ""},
		{tree{notice}, `"BSD"`}, {tree{licence}, `"modules"`}, {tree{licence, {name: "NOTICE", data: []byte("other")}}, `"modules"`},
		{tree{dll, licence, notice}, runtimeLicence}, {tree{dll, licence, notice, {name: runtimeLicence}}, runtimeLicence},
	} {
		for _, name := range []string{"a.zip", "a.tar.gz"} {
			only(name, c.of)
			if err := r.licenceTexts(); c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, name)
				require.ErrorContains(t, err, c.want)
			}
		}
	}
	only("a.zip", tree{licence, notice})
	require.NoError(t, os.Rename(filepath.Join(r.out, "a.zip"), filepath.Join(r.out, "a.whl")))
	require.NoError(t, r.write("notes.md", nil))
	require.NoError(t, r.write("a.cdx.json", nil))
	require.NoError(t, r.licenceTexts())
	require.NoError(t, r.write("rung.wasm", nil))
	require.ErrorContains(t, r.licenceTexts(), "rung.wasm: nobody looks")
}

// TestLicenceTextsOfPackages: a package for Debian is looked into, too.
func TestLicenceTextsOfPackages(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not here")
	}
	r := &release{ctx: t.Context(), work: t.TempDir(), epoch: time.Unix(1795954367, 0).UTC()}
	folder, to := filepath.Join(r.work, "deb"), filepath.Join(r.work, "a.deb")
	notice, err := compressed([]byte("modules\n"))
	require.NoError(t, err)
	require.NoError(t, r.lay(tree{{name: "usr/share/doc/rung/NOTICE.gz", data: notice}, {name: "DEBIAN/control", data: fmt.Appendf(nil, debControl, "1", "amd64", 1)}}, folder))
	_, err = output(r.command(r.work, nil, "dpkg-deb", "--root-owner-group", "--build", folder, to))
	require.NoError(t, err)
	files, err := r.within(to)
	require.NoError(t, err)
	require.NoError(t, lacks(files, []string{"modules\n"}))
	require.ErrorContains(t, lacks(files, []string{"BSD\n"}), "BSD")
}

// TestNoted: what Go notes is found in a program for WebAssembly, of which none is here: between the same marks in this one.
func TestNoted(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	b, err := os.ReadFile(self)
	require.NoError(t, err)
	want, err := infoOf(self)
	require.NoError(t, err)
	got, err := noted(b)
	require.NoError(t, err)
	require.Equal(t, want.Deps, got.Deps)
	require.Equal(t, want.Path, got.Path)
	_, err = noted(b[:1000])
	require.Error(t, err)
	_, err = infoOf(filepath.Join(t.TempDir(), wasm))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestParsePlatforms: names are those of platforms; none means all.
func TestParsePlatforms(t *testing.T) {
	list, err := parsePlatforms("")
	require.NoError(t, err)
	require.Equal(t, platforms, list)
	list, err = parsePlatforms("windows_amd64,linux_arm64")
	require.NoError(t, err)
	require.Equal(t, []platform{{"windows", "amd64"}, {"linux", "arm64"}}, list)
	for _, bad := range []string{"linux", "linux_amd64,", "plan9_386"} {
		_, err = parsePlatforms(bad)
		require.ErrorContains(t, err, "no platform", bad)
	}
}

// TestCaches: the second time has a cache of its own for what is built for this machine, and for nothing else.
func TestCaches(t *testing.T) {
	r := &release{cache: "/there"}
	for _, p := range platforms {
		require.Equal(t, p == host, slices.Contains(r.env(p), "GOCACHE=/there"), p)
	}
	require.NotContains(t, (&release{}).env(host), "GOCACHE=")
}

// TestEnvironment: what this machine sets does not change programs.
func TestEnvironment(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=small")
	t.Setenv("GOAMD64", "v4")
	t.Setenv("CGO_CFLAGS", "-march=native")
	r := &release{ctx: context.Background(), epoch: time.Unix(1795954367, 0)}
	env := r.command("", nil, "true").Env
	require.Contains(t, env, "GOAMD64=v1")
	require.Contains(t, env, "SOURCE_DATE_EPOCH=1795954367")
	require.NotContains(t, strings.Join(env, "\n"), "small")
	require.NotContains(t, strings.Join(env, "\n"), "native")
}

// TestCheckout: a release is of a commit. Its clone has the tag, and what is in no commit is told and left out; a tag at another
// commit is refused.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	repository := t.TempDir()
	t.Chdir(repository)
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	put := func(text string) { require.NoError(t, os.WriteFile("a.txt", []byte(text), 0o666)) }
	git("init", "-q")
	put("one")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	put("two")
	r := &release{ctx: t.Context(), version: version{"0.1.0", ""}, work: t.TempDir()}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	require.NoError(t, r.checkout())
	text, err := r.read("a.txt")
	require.NoError(t, err)
	require.Equal(t, "one", text)
	require.Equal(t, []string{"the commit has no tag v0.1.0", "1 files differ from the commit, and are as in the commit here"}, r.held)
	out, err := r.git(r.source, "tag", "--points-at", "HEAD")
	require.NoError(t, err)
	require.Equal(t, "v0.1.0", out)
	require.WithinDuration(t, time.Now(), r.epoch, time.Hour)

	git("tag", "v0.1.0")
	git("commit", "-q", "-a", "-m", "two")
	r = &release{ctx: t.Context(), version: version{"0.1.0", ""}, work: t.TempDir()}
	require.ErrorContains(t, r.checkout(), "the tag v0.1.0 is at commit")
	r.version.number = "0.1.1"
	git("tag", "v0.1.1")
	require.NoError(t, r.checkout())
	require.Empty(t, r.held)
}

// TestReport: with -strict, what is missing or keeps files from being published is an error; what is not made by design is none.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		r  release
		ok bool
	}{{release{}, true}, {release{missing: []string{"a"}}, false}, {release{held: []string{"a"}}, false}, {release{without: []string{"a"}}, true}} {
		c.r.out = t.TempDir()
		require.NoError(t, c.r.report(false))
		require.Equal(t, c.ok, c.r.report(true) == nil)
	}
	var r release
	r.noUnits(platform{"windows", "amd64"})
	require.Empty(t, r.missing)
	r.noUnits(platform{"linux", "arm64"})
	require.Len(t, r.missing, 1)
}
