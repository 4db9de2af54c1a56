package main

import (
	"debug/elf"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// papers returns the files that go with every program: LICENSE and NOTICE.
func (r *release) papers() (t tree, err error) {
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if err := t.add(filepath.Join(r.source, name), ""); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// shells are the shells with completions, and the places below share where systems look for these.
var shells = []struct{ name, file string }{
	{"bash", "bash-completion/completions/rung"}, {"zsh", "zsh/site-functions/_rung"},
	{"fish", "fish/vendor_completions.d/rung.fish"}, {"powershell", "powershell/rung.ps1"},
}

// share returns manual pages and completions, below the folder share.
func (r *release) share() (t tree, err error) {
	rung, man := r.built(host, host.exe()), filepath.Join(r.work, "man")
	if _, err := output(r.command(r.work, nil, rung, "man", man)); err != nil {
		return nil, err
	}
	if err := t.add(filepath.Join(man, "*.1"), "share/man/man1"); err != nil {
		return nil, err
	}
	for _, s := range shells {
		text, err := output(r.command(r.work, nil, rung, "completion", s.name))
		if err != nil {
			return nil, err
		}
		t = append(t, entry{name: "share/" + s.file, data: []byte(text + "\n")})
	}
	return t, nil
}

// unitLibraries returns the libraries that rung export needs for units, in the folder below of an archive; nil if the system has no units
// or a library was not built.
func (r *release) unitLibraries(p platform, below string) (t tree, err error) {
	if p.stub() == "" || !r.has(p, p.library()) || !r.has(p, p.stub()) {
		return nil, nil
	}
	for _, name := range []string{p.library(), p.stub()} {
		if err := t.add(r.built(p, name), below); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// noUnits notes that an archive has no libraries for units.
func (r *release) noUnits(p platform) {
	what := fmt.Sprintf("lib/rung in the archive for %s: rung export -o x.fmu needs --libraries there", p)
	if p.stub() == "" {
		r.without = append(r.without, what+"; units are for Linux alone")
		return
	}
	r.missing = append(r.missing, what)
}

// archives packs the command for each platform for which it was built.
func (r *release) archives() error {
	papers, err := r.papers()
	if err != nil {
		return err
	}
	share, err := r.share()
	if err != nil {
		return err
	}
	for _, p := range platforms {
		if !r.has(p, p.exe()) {
			continue
		}
		t := append(append(tree{}, papers...), share...)
		if err := t.add(filepath.Join(r.source, "README.md"), ""); err != nil {
			return err
		}
		program := tree{}
		if err := program.add(r.built(p, p.exe()), ""); err != nil {
			return err
		}
		program[0].program = true
		units, err := r.unitLibraries(p, "lib/rung")
		if err != nil {
			return err
		}
		if len(units) == 0 {
			r.noUnits(p)
		}
		t = append(append(t, program...), units...)
		if err := r.pack(t, fmt.Sprintf("rung_%s_%s", r.version, p), p.system == "windows"); err != nil {
			return err
		}
	}
	return nil
}

const (
	// runtimeLicence is the name of the licence of the runtime that MinGW-w64 links into a library for Windows.
	runtimeLicence = "LICENSE.mingw-w64"
	// runtimeDebian is the path of that licence on Debian.
	runtimeDebian = "/usr/share/doc/mingw-w64-common/copyright"
)

// libraryArchives packs the shared library for each platform for which there is one. A library for Windows without the licence of its
// runtime is noted as missing, and removed.
func (r *release) libraryArchives() error {
	for _, p := range platforms {
		if !r.has(p, p.library()) {
			continue
		}
		if p.system == "windows" {
			if err := r.bringRuntimeLicence(p); err != nil {
				r.missing = append(r.missing, err.Error())
				if err := os.Remove(r.built(p, p.library())); err != nil {
					return err
				}
				continue
			}
		}
		t, err := r.libraryTree(p)
		if err != nil {
			return err
		}
		if err := r.pack(t, fmt.Sprintf("librung_%s_%s", r.version, p), p.system == "windows"); err != nil {
			return err
		}
	}
	return nil
}

// bringRuntimeLicence copies the licence of MinGW-w64's runtime beside the library into which that runtime is linked.
func (r *release) bringRuntimeLicence(p platform) error {
	if r.has(p, runtimeLicence) {
		return nil
	}
	text, err := os.ReadFile(runtimeDebian)
	if err != nil {
		return fmt.Errorf("librung and the wheel for %s: the licence of MinGW-w64's runtime is not here (%w)", p, err)
	}
	return os.WriteFile(r.built(p, runtimeLicence), text, 0o666)
}

// libraryTree returns the archive of a library: the library under the name by which it is loaded, a link with the name for
// linkers, headers, and a file for pkg-config.
func (r *release) libraryTree(p platform) (tree, error) {
	t, err := r.papers()
	if err != nil {
		return nil, err
	}
	headers := filepath.Join(r.source, "cmd", "librung")
	for _, h := range []string{"rung.h", "rung.hpp"} {
		if err := t.add(filepath.Join(headers, h), "include"); err != nil {
			return nil, err
		}
	}
	library, err := os.ReadFile(r.built(p, p.library()))
	if err != nil {
		return nil, err
	}
	loaded := map[string]string{"linux": "librung-1.so", "darwin": "librung-1.dylib", "windows": "librung-1.dll"}[p.system]
	folder := "lib"
	if p.system == "windows" {
		folder = "bin"
		if err := t.add(r.built(p, runtimeLicence), ""); err != nil {
			return nil, err
		}
	} else {
		t = append(t, entry{name: path.Join(folder, p.library()), link: loaded})
	}
	t = append(t, entry{name: path.Join(folder, loaded), data: library}, entry{name: "lib/pkgconfig/rung.pc", data: r.pkgConfig(p)})
	if stub := p.stub(); stub != "" && r.has(p, stub) {
		if err := t.add(r.built(p, stub), "lib"); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// pkgConfig returns the file for pkg-config. Its paths are relative, so the archive may be unpacked anywhere.
func (r *release) pkgConfig(p platform) []byte {
	link := "-L${prefix}/lib -lrung"
	if p.system == "windows" {
		link = "-L${prefix}/bin -l:librung-1.dll"
	}
	return []byte("prefix=${pcfiledir}/../..\n\nName: rung\nDescription: Dynamics of mechanisms with many kinematic loops\n" +
		"URL: https://github.com/rung-mbd/rung\nVersion: " + r.version.String() + "\nCflags: -I${prefix}/include\nLibs: " + link + "\n")
}

// wheels makes a wheel, Python's package, for each library.
func (r *release) wheels() error {
	for _, p := range platforms {
		if !r.has(p, p.library()) {
			continue
		}
		tag, err := r.wheelTag(p)
		if err != nil {
			return err
		}
		args := []string{"python/build_wheel.py", "--version", r.version.tag(), "--library", r.built(p, p.library()), "--tag", tag, "-o", r.out}
		if p.system == "windows" {
			args = append(args, "--license", r.built(p, runtimeLicence))
		}
		if _, err := output(r.command(r.source, nil, "python3", args...)); err != nil {
			return err
		}
	}
	return nil
}

// wheelTag returns the platform tag of a wheel. For Linux it names the oldest version of glibc with all symbols that the library needs.
func (r *release) wheelTag(p platform) (string, error) {
	processor := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.processor]
	switch p.system {
	case "windows":
		return "win_amd64", nil
	case "darwin":
		return "macosx_12_0_" + map[string]string{"amd64": "x86_64", "arm64": "arm64"}[p.processor], nil
	}
	f, err := elf.Open(r.built(p, p.library()))
	if err != nil {
		return "", err
	}
	defer f.Close()
	needs, err := f.DynamicVersionNeeds()
	if err != nil {
		return "", err
	}
	newest := 17 // at least glibc 2.17, the version of manylinux2014, which all tools know
	for _, n := range needs {
		for _, v := range n.Needs {
			minor, ok := strings.CutPrefix(v.Dep, "GLIBC_2.")
			if !ok {
				return "", fmt.Errorf("%s needs %s %s, which no manylinux has", r.built(p, p.library()), n.Name, v.Dep)
			}
			minor, _, _ = strings.Cut(minor, ".")
			n, err := strconv.Atoi(minor)
			if err != nil {
				return "", err
			}
			newest = max(newest, n)
		}
	}
	return fmt.Sprintf("manylinux_2_%d_%s", newest, processor), nil
}

// page builds and packs the playground: a page and the program for WebAssembly.
func (r *release) page() error {
	r.say("playground")
	folder := filepath.Join(r.work, "playground")
	c := r.command(r.source, nil, "make", "playground", "PLAYGROUND="+folder, "COMMAND="+r.built(host, host.exe()))
	if _, err := output(c); err != nil {
		return err
	}
	if err := r.inspect(filepath.Join(folder, wasm)); err != nil {
		return err
	}
	t, err := r.papers()
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(name)
		t = append(t, entry{name: filepath.ToSlash(rel), data: b})
		return err
	})
	if err != nil {
		return err
	}
	return r.pack(t, fmt.Sprintf("playground_%s", r.version), true)
}
