package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// release is a release that is being made.
type release struct {
	ctx       context.Context
	version   version
	source    string     // the clone
	work, out string     // folders for intermediate files, and for the files of the release
	libraries string     // folder with libraries that were built elsewhere; "": there are none
	sbom      string     // path of cyclonedx-gomod; "": there is none
	only      []platform // the platforms that are asked for
	cache     string     // Go's cache when building for this machine; "": the usual one
	begun     time.Time
	epoch     time.Time // the time of all files
	commit    string
	licensed  map[string]bool // modules that NOTICE has, as path@version

	missing []string // files that were not built, with the reason
	without []string // files that are not made by design
	held    []string // reasons not to publish the files
}

// main makes a release, and ends early at an interrupt.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes a release or, with the flag -library, one library.
func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	text := f.String("version", "", "such as 0.1.0 or 0.2.0-rc.1")
	out := f.String("out", "out/release", "folder for the files; what is in it is removed")
	libraries := f.String("libraries", "", "folder with libraries that were built elsewhere, a folder each: linux_arm64, darwin_arm64, …")
	sbom := f.String("sbom", "", "path of cyclonedx-gomod")
	library := f.String("library", "", "make the library for one platform alone, such as darwin_arm64, in a folder of its name")
	only := f.String("only", "", "platforms by commas, such as linux_amd64: nothing is built for others, which takes a part of the time")
	strict := f.Bool("strict", false, "fail where something was not built, or keeps the files from being published")
	check := f.Bool("check", false, "make the files twice, and compare")
	if err := f.Parse(args); err != nil {
		return err
	}
	v, err := parseVersion(*text)
	if err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("%q is not understood", f.Arg(0))
	}
	work, err := os.MkdirTemp("", "rung-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{ctx: ctx, version: v, work: filepath.Join(work, "one"), out: *out, libraries: *libraries, sbom: *sbom, begun: time.Now()}
	if r.only, err = parsePlatforms(*only); err != nil {
		return err
	}
	if *library != "" {
		return r.oneLibrary(*library)
	}
	if err := r.make(); err != nil {
		return err
	}
	if *check {
		if err := r.again(work); err != nil {
			return err
		}
	}
	return r.report(*strict)
}

// make makes all files of the release.
func (r *release) make() error {
	for _, step := range []func() error{
		r.prepare, r.checkout, r.licences, r.describe, r.commands, r.sharedLibraries, r.archives, r.libraryArchives, r.wheels, r.debs,
		r.page, r.bills, r.licenceTexts, r.sums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the folders, and removes the files of an earlier release. It returns an error if the folder has any other file.
func (r *release) prepare() (err error) {
	for _, path := range []*string{&r.out, &r.libraries, &r.sbom} {
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	old, err := os.ReadDir(r.out)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range old {
		if !made(e.Name()) || e.IsDir() {
			return fmt.Errorf("%s has %q, which no release makes: name another folder, or remove it", r.out, e.Name())
		}
	}
	for _, e := range old {
		if err := os.Remove(filepath.Join(r.out, e.Name())); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	return os.MkdirAll(r.work, 0o777)
}

// made reports whether a release makes files with such a name.
func made(name string) bool {
	for _, begin := range []string{"rung_", "rung-", "librung_", "playground_", "notes.md", sumsFile} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// again makes the files a second time, in other folders, and compares. The command and the library for this machine are compiled with an
// empty cache: that shows whether a folder, a cache or chance influences the output of compilers. For other systems, which have the same
// compilers with the same flags, the second time takes compiled packages from the cache of the first, and links and packs them again.
func (r *release) again(work string) error {
	r.say("the second time")
	second := *r
	second.missing, second.without, second.held = nil, nil, nil
	second.work = filepath.Join(work, "the", "second", "folder has another name")
	second.out = filepath.Join(work, "out again")
	second.cache = filepath.Join(work, "cache")
	if err := second.make(); err != nil {
		return err
	}
	return same(r.out, second.out)
}

// say prints the step that begins, and the time since the start.
func (r *release) say(what ...any) {
	fmt.Printf("%4.0f s  %s\n", time.Since(r.begun).Seconds(), strings.TrimSuffix(fmt.Sprintln(what...), "\n"))
}

// report prints the files that were made and the files that were not. If strict, it returns an error if files are missing or must not be
// published.
func (r *release) report(strict bool) error {
	list, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s of commit %s, %s:\n", r.version.tag(), r.commit, r.epoch.Format(time.RFC3339))
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Printf("%12s  %s\n", strconv.FormatInt(info.Size(), 10), e.Name())
	}
	for _, line := range r.without {
		fmt.Println("WITHOUT:", line)
	}
	for _, line := range r.missing {
		fmt.Println("NOT BUILT:", line)
	}
	for _, line := range r.held {
		fmt.Println("NOT TO BE PUBLISHED:", line)
	}
	if n := len(r.missing) + len(r.held); strict && n > 0 {
		return fmt.Errorf("%d things are not as a release has to be", n)
	}
	return nil
}
