package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// platform is a system with a kind of processor, by Go's names.
type platform struct{ system, processor string }

func (p platform) String() string { return p.system + "_" + p.processor }

// env returns the environment variables with which Go builds for a platform. For this machine they have the cache of the release, if it
// has one.
func (r *release) env(p platform) []string {
	e := []string{"GOOS=" + p.system, "GOARCH=" + p.processor}
	if p == host && r.cache != "" {
		e = append(e, "GOCACHE="+r.cache)
	}
	return e
}

// exe returns the name of the command.
func (p platform) exe() string {
	if p.system == "windows" {
		return "rung.exe"
	}
	return "rung"
}

// library returns the name of the shared library in the Makefile.
func (p platform) library() string {
	return map[string]string{"linux": "librung.so", "darwin": "librung.dylib", "windows": "librung-1.dll"}[p.system]
}

// stub returns the name of the C part of functional mock-up units; "": there are no units for this system.
func (p platform) stub() string {
	if p.system == "linux" {
		return "rung-fmu.so"
	}
	return ""
}

// platforms are the platforms of a release.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// parsePlatforms returns the platforms in a list of names with commas between them, all platforms for an empty list.
func parsePlatforms(names string) (list []platform, err error) {
	if names == "" {
		return platforms, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no platform %q; there are %v", name, platforms)
		}
		list = append(list, platforms[i])
	}
	return list, nil
}

// built returns the path to which a file is built for a platform.
func (r *release) built(p platform, name string) string {
	return filepath.Join(r.work, "built", p.String(), name)
}

// has reports whether a file of a platform has been built.
func (r *release) has(p platform, name string) bool {
	_, err := os.Stat(r.built(p, name))
	return name != "" && err == nil
}

// commands builds the command for all platforms that are asked for, and for this machine, on which it writes manual pages and completions.
func (r *release) commands() error {
	all := r.only
	if !slices.Contains(all, host) {
		all = append([]platform{host}, all...)
	}
	for _, p := range platforms {
		if !slices.Contains(all, p) {
			r.missing = append(r.missing, fmt.Sprintf("anything for %s: -only does not name it", p))
		}
	}
	for _, p := range all {
		r.say("command for", p)
		to := r.built(p, p.exe())
		c := r.command(r.source, append(r.env(p), "CGO_ENABLED=0"), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "./cmd/rung")
		if _, err := output(c); err != nil {
			return err
		}
		if err := r.inspect(to); err != nil {
			return err
		}
	}
	said, err := output(r.command(r.work, nil, r.built(host, host.exe()), "--version"))
	if err == nil && said != "rung version "+r.version.tag() {
		err = fmt.Errorf("rung --version says %q", said)
	}
	return err
}

// inspect checks the notes of Go in a program: version, commit, flags, and that NOTICE has all modules.
func (r *release) inspect(path string) error {
	info, err := infoOf(path)
	if err == nil {
		err = r.fault(info)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// fault returns an error if the notes of Go in a program differ from the release (inspect).
func (r *release) fault(info *buildinfo.BuildInfo) error {
	if info.Main.Version != r.version.tag() {
		return fmt.Errorf("it is of version %q", info.Main.Version)
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	for _, want := range [][2]string{{"vcs.revision", r.commit}, {"vcs.modified", "false"}, {"-trimpath", "true"}} {
		switch value, ok := settings[want[0]]; {
		case !ok:
			return fmt.Errorf("%s is not noted", want[0])
		case value != want[1]:
			return fmt.Errorf("%s is %q, not %q", want[0], value, want[1])
		}
	}
	for _, m := range info.Deps {
		if !r.licensed[m.Path+"@"+m.Version] {
			return fmt.Errorf("NOTICE has no licence of %s %s; make golden writes it", m.Path, m.Version)
		}
	}
	return nil
}

// compilers returns the possible names of a C compiler for a platform, nil if this machine cannot have one.
func compilers(p platform) []string {
	gnu := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.processor]
	switch {
	case p == host && p.system == "darwin":
		return []string{"clang"}
	case p == host && p.system == "windows":
		return []string{"gcc"}
	case p == host:
		return []string{"gcc", "cc", "clang"}
	case p.system == "linux":
		return []string{gnu + "-linux-gnu-gcc"}
	case p.system == "windows":
		return []string{gnu + "-w64-mingw32-gcc-posix", gnu + "-w64-mingw32-gcc"}
	}
	return nil
}

// compiler returns the name of a C compiler for a platform that this machine has; "": it has none.
func compiler(p platform) string {
	for _, name := range compilers(p) {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}

// sharedLibraries calls sharedLibrary for each platform that is asked for.
func (r *release) sharedLibraries() error {
	for _, p := range r.only {
		if err := r.sharedLibrary(p); err != nil {
			return err
		}
	}
	return nil
}

// sharedLibrary copies (bring) or builds the library for p, with the C part of units, and inspects it. Without a compiler it notes that the
// library is missing.
func (r *release) sharedLibrary(p platform) error {
	brought, err := r.bring(p)
	if err != nil {
		return err
	}
	cc := compiler(p)
	if !brought {
		if cc == "" {
			reason := "a " + p.system + " machine has one"
			if list := compilers(p); len(list) > 0 {
				reason = strings.Join(list, " or ") + " is not here"
			}
			const message = "librung and the wheel for %s: no compiler (%s); -libraries brings what was built elsewhere"
			r.missing = append(r.missing, fmt.Sprintf(message, p, reason))
			return nil
		}
		r.say("library for", p, "by", cc)
		targets := []string{"library"}
		if p.stub() != "" {
			targets = append(targets, "fmu-stub")
		}
		dir := filepath.Join(r.work, "built")
		c := r.command(r.source, append(r.env(p), "CC="+cc), "make", append(targets, "LIBDIR="+filepath.Join(dir, p.String()))...)
		if _, err := output(c); err != nil {
			return err
		}
	}
	return r.inspect(r.built(p, p.library()))
}

// bring copies the files of a platform that were built elsewhere, from the flag -libraries. It reports false if there are none.
func (r *release) bring(p platform) (bool, error) {
	if r.libraries == "" {
		return false, nil
	}
	from := filepath.Join(r.libraries, p.String())
	list, err := os.ReadDir(from)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return false, err
		}
		if err := os.WriteFile(r.built(p, e.Name()), b, 0o666); err != nil {
			return false, err
		}
	}
	if !r.has(p, p.library()) {
		return false, fmt.Errorf("%s has no %s", from, p.library())
	}
	return true, nil
}

// oneLibrary makes the library for one platform, in the form that -libraries takes on another machine.
func (r *release) oneLibrary(name string) error {
	list, err := parsePlatforms(name)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("-library %s: one platform at a time", name)
	}
	p := list[0]
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.work, 0o777); err != nil {
		return err
	}
	for _, step := range []func() error{r.checkout, r.licences, func() error { return r.sharedLibrary(p) }} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(r.missing) > 0 {
		return fmt.Errorf("%s", r.missing[0])
	}
	if p.system == "windows" {
		if err := r.bringRuntimeLicence(p); err != nil {
			return err
		}
	}
	return os.CopyFS(filepath.Join(out, name), os.DirFS(r.built(p, "")))
}
