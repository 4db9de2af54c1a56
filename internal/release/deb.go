package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// debs makes packages for Debian and its derivatives, by dpkg-deb.
func (r *release) debs() error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		r.missing = append(r.missing, "packages for Debian: dpkg-deb is not here")
		return nil
	}
	for _, p := range platforms {
		if p.system != "linux" || !r.has(p, p.exe()) {
			continue
		}
		t, err := r.debTree(p)
		if err != nil {
			return err
		}
		folder := filepath.Join(r.work, "deb", p.processor)
		if err := r.lay(t, folder); err != nil {
			return err
		}
		// The output of xz depends on the number of threads, and xz takes ten times as long for a file that is a quarter smaller.
		c := r.command(r.work, nil, "dpkg-deb", "--root-owner-group", "-Zgzip", "-z9", "--build", folder,
			filepath.Join(r.out, fmt.Sprintf("rung_%s_%s.deb", r.version, p.processor)))
		if _, err := output(c); err != nil {
			return err
		}
	}
	return nil
}

// compressed returns data compressed by gzip, without name and time.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// debControl is the control file of a package, a format for version, architecture and size. Nobody has the address of its maintainer:
// faults are reported at the address in Bugs.
const debControl = `Package: rung
Version: %s
Architecture: %s
Maintainer: The Rung Authors <nobody@rung-mbd.invalid>
Installed-Size: %d
Section: science
Priority: optional
Homepage: https://github.com/rung-mbd/rung
Bugs: https://github.com/rung-mbd/rung/issues
Description: dynamics of mechanisms with many kinematic loops
 The command rung solves mechanisms by one sparse symmetric system of all bodies
 and joints: accelerations and reactions, motion in time, inverse kinematics,
 equilibria and modes. Redundant constraints are solved and explained by name.
`

// debTree returns the files of a package at the places of Debian's policy, and its control files.
func (r *release) debTree(p platform) (t tree, err error) {
	share, err := r.share()
	if err != nil {
		return nil, err
	}
	for _, e := range share {
		name := "usr/" + e.name
		switch {
		case strings.HasPrefix(name, "usr/share/powershell/"):
			continue
		case strings.HasPrefix(name, "usr/share/zsh/"):
			name = "usr/share/zsh/vendor-completions/_rung"
		case strings.HasPrefix(name, "usr/share/man/"):
			name += ".gz"
			if e.data, err = compressed(e.data); err != nil {
				return nil, err
			}
		}
		t = append(t, entry{name: name, data: e.data})
	}
	program := tree{}
	if err := program.add(r.built(p, p.exe()), "usr/bin"); err != nil {
		return nil, err
	}
	program[0].program = true
	units, err := r.unitLibraries(p, "usr/lib/rung")
	if err != nil {
		return nil, err
	}
	docs, err := r.debDocs()
	if err != nil {
		return nil, err
	}
	t = append(append(append(t, program...), units...), docs...)
	size, sums := 0, ""
	for _, e := range t.sorted() {
		if !e.mode().IsDir() {
			size += (len(e.data) + 1023) / 1024
			sums += fmt.Sprintf("%x  %s\n", md5.Sum(e.data), e.name) // for dpkg -V
		}
	}
	control := fmt.Sprintf(debControl, r.version.debian(), p.processor, size)
	return append(t, entry{name: "DEBIAN/control", data: []byte(control)}, entry{name: "DEBIAN/md5sums", data: []byte(sums)}), nil
}

// debDocs returns the licences and the changelog at their places in a package.
func (r *release) debDocs() (t tree, err error) {
	for _, d := range []struct {
		name, as string
		packed   bool
	}{{"LICENSE", "copyright", false}, {"NOTICE", "NOTICE.gz", true}, {"CHANGELOG.md", "changelog.gz", true}} {
		text, err := r.read(d.name)
		if err != nil {
			return nil, err
		}
		data := []byte(text)
		if d.packed {
			if data, err = compressed(data); err != nil {
				return nil, err
			}
		}
		t = append(t, entry{name: path.Join("usr/share/doc/rung", d.as), data: data})
	}
	return t, nil
}

// lay writes a tree as files in a folder, with the modes and the time of archives, whatever the umask is.
func (r *release) lay(t tree, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	list := t.sorted()
	for _, e := range list {
		name := filepath.Join(folder, filepath.FromSlash(e.name))
		var err error
		if e.mode().IsDir() {
			err = os.MkdirAll(name, 0o755)
		} else {
			err = os.WriteFile(name, e.data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	for i := len(list) - 1; i >= -1; i-- { // folders after their files, as writing changes the time of a folder
		name, mode := folder, os.FileMode(0o755)
		if i >= 0 {
			name, mode = filepath.Join(folder, filepath.FromSlash(list[i].name)), list[i].mode().Perm()
		}
		if err := os.Chmod(name, mode); err != nil {
			return err
		}
		if err := os.Chtimes(name, r.epoch, r.epoch); err != nil {
			return err
		}
	}
	return nil
}
