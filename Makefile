# The list of commands of this repository; CI calls these targets and nothing else.
#
#   make check          formatting, vet, staticcheck, generated code, all tests
#   make platforms      vet and build for each of PLATFORMS, from any machine
#   make test           the tests alone; TAGS=check sets the build tag of checks inside kernels
#   make short          the short tests, and the packages whose tests take a second of processor time or more; one above SHORTMOST fails
#   make generated      whether the generated assembly is what its generator writes
#   make vet-small      the part of make vet that make test TESTFLAGS=-vet=all has not
#   make race           the short tests under the race detector (needs a C compiler)
#   make race-quick     those of the short tests in which goroutines meet, under the race detector
#   make walk           every fuzz target on WALK inputs of its own, the same in every run
#   make more           all tests, with MORE times as many random cases, and those that only nights have time for
#   make fuzz           every fuzz target for FUZZTIME (a count, or a time such as 1m), on new inputs
#   make sabotage       each guard of the numerical packages taken out, one at a time; a test has to fail for each
#   make bench          benchmarks that match BENCH, COUNT times, into OUT
#   make bench-compare  benchstat of OLD against NEW, two files made by make bench
#   make tables         what the tables of docs/benchmarks.md and docs/play.md are made of, into TABLES; those beside peers are written into
#                       their page. It wants a machine that does nothing else, and needs what bench/peers/run.sh needs
#   make golden         rewrite golden files from what the code does now
#   make cover          coverage of the module by all its tests
#   make browser        tests of the page of rung view in Chromium, which has to be there
#   make man            manual pages of the command, into MANDIR
#   make library        the shared library with the C interface of cmd/librung/rung.h, into LIBDIR (needs a C compiler)
#   make clib           tests of the library from C99, C++ and C++17
#   make clib-race      the tests in C with the race detector in the library
#   make fmu-stub       the part in C of functional mock-up units, into LIBDIR
#   make fmi            units of FMI 2.0 and 3.0, moved by tools in C and by CVODE, and compared with rung simulate
#   make fmi-valgrind   the same for one model under valgrind
#   make clib-valgrind  the tests of the library in C under valgrind
#   make python         tests of Python's package, with python3, NumPy and pytest, which have to be there
#   make playground     the playground of cmd/rungwasm, a folder for any server of files, into PLAYGROUND
#   make wasm           tests of rung.wasm in Node, which has to be there, and what an evaluation takes
#   make wheel          the package with the library, into LIBDIR
#   make site           the site, a folder for any server of files, into SITE (needs HUGO and PYTHON)
#   make site-check     every link, page and colour of the site, and its pages in Chromium, if that is there
#   make release        the files of release VERSION into RELEASEDIR, from the last commit; STRICT=1 fails where one cannot be built here,
#                       and ONLY=linux_amd64 builds for that alone
#   make release-check  so twice, in two folders; the bytes have to be equal
#   make release-fresh  the files of make release where there is nothing else: an empty folder, a root, a clone with Go alone
#   make release-library  the library for PLATFORM alone, such as darwin_arm64, for make release LIBRARIES=FOLDER elsewhere

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

GO        ?= go
PKGS      ?= ./...
TESTFLAGS ?=
TAGS      ?=
PLATFORMS ?= linux/386 linux/arm linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 js/wasm wasip1/wasm
WALK      ?= 20000
MORE      ?= 10
FUZZTIME  ?= 50000x
SHORTMOST ?= 7s
BENCH     ?= .
COUNT     ?= 1
OUT       ?= bench.txt
TABLES    ?= out/tables
MANDIR    ?= man
LIBDIR    ?= out
TRIMPATH  ?= -trimpath
PLAYGROUND ?= out/playground
COMMAND   :=
SITE      ?= out/site
HUGO      ?= hugo
SITEFLAGS ?=
SITEPLAYGROUND ?= playground
PYTHON    ?= python3
WHEELTAG  ?= manylinux_2_34_x86_64
SABOTAGEFLAGS ?=
VERSION   ?=
RELEASEDIR ?= out/release
LIBRARIES ?=
PLATFORM  ?=
STRICT    ?=
ONLY      :=
OLD       ?= bench-old.txt
NEW       ?= bench-new.txt

# Tools of this file, pinned here and not in go.mod; a new version has a new folder.
STATICCHECK_VERSION := v0.8.2
BENCHSTAT_VERSION   := v0.0.0-20260908200009-22c9c6c9d4da
CYCLONEDX_VERSION   := v1.10.0

GOVERSION    := $(shell $(GO) env GOVERSION)
GOFMT        := $(shell $(GO) env GOROOT)/bin/gofmt
TOOLS        := $(CURDIR)/.tools/$(GOVERSION)
STATICCHECK  := $(TOOLS)/staticcheck-$(STATICCHECK_VERSION)/staticcheck
BENCHSTAT    := $(TOOLS)/benchstat-$(BENCHSTAT_VERSION)/benchstat
CYCLONEDX    := $(TOOLS)/cyclonedx-gomod-$(CYCLONEDX_VERSION)/cyclonedx-gomod
MODULE       := $(shell $(GO) list -m)
# Packages whose tests use internal/check, which alone know the flag -update; the
# tests of internal/check itself compare with files that have to differ.
GOLDENPKGS    = $(filter-out $(MODULE)/internal/check,$(shell $(GO) list -f '{{range .XTestImports}}{{if eq . "$(MODULE)/internal/check"}}{{$$.ImportPath}}{{end}}{{end}}' $(PKGS)))
TAGFLAG      := $(if $(TAGS),-tags=$(TAGS))
# With NOTRUN, the name of a file, it is written there which tests were skipped; go run ./internal/test/notrun -report FILE lists them.
GOTEST       := $(GO) test $(if $(NOTRUN),-json)
COLLECT      := $(if $(NOTRUN),| $(GO) run ./internal/test/notrun $(NOTRUN))
COLLECTALL   := $(if $(NOTRUN),| $(GO) run ./internal/test/notrun -v $(NOTRUN))

.PHONY: check fmt vet staticcheck generated platforms vet-small test short test-mpi test-mpi-packages race race-quick walk more fuzz sabotage bench bench-compare tables golden cover browser man library clib clib-race fmu-stub fmi fmi-valgrind clib-valgrind python wheel playground playground-page wasm site site-check release release-check release-fresh release-library

check: fmt vet staticcheck generated test

fmt:
	@bad=$$($(GOFMT) -l .); if [ -n "$$bad" ]; then echo "gofmt would change:" $$bad; exit 1; fi

# A program that only runs tests. What a debugger would want takes three quarters of the time of its linking.
PROGRAM := $(GO) build -ldflags=-w

# The packages that have files with the build tag small. Others' are the same with it.
SMALL := $(sort $(patsubst %,./%,$(shell grep -rl --include='*.go' '^//go:build.*\bsmall\b' cmd | xargs -n 1 dirname)))
vet:
	$(GO) vet $(TAGFLAG) $(PKGS)
	$(GO) vet -tags=small $(SMALL)

staticcheck: $(STATICCHECK)
	$(STATICCHECK) $(TAGFLAG) $(PKGS)

# Copies of the packages are generated again, byte for byte.
GENERATED := $(addprefix internal/,$(addprefix kernel/,kernels_amd64.s kernels_amd64.go layout_amd64.go) \
	$(addprefix lanes/,kernels_amd64.s kernels_amd64.go kernels_other.go structures.go pin_amd64.s pin_amd64.go pin_layout_amd64.go) \
	$(addprefix tape/,codes.go kernels_amd64.s))
generated:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	mkdir "$$dir/internal"; \
	cp -R go.mod go.sum "$$dir"; \
	cp -R internal/avo internal/kernel internal/lanes internal/tape "$$dir/internal"; \
	(cd "$$dir" && rm $(GENERATED)); \
	$(GO) -C "$$dir" generate ./internal/kernel ./internal/lanes ./internal/tape; \
	for f in $(GENERATED); do \
		cmp "$$f" "$$dir/$$f" || { echo "$$f is not what its generator writes; run: go generate ./internal/kernel ./internal/lanes ./internal/tape"; exit 1; }; \
	done

# 386 finds constants and sizes beyond an int of 32 bits, the others what only some systems have. Of the programs the command alone is
# linked: vet has read the others.
platforms:
	@for p in $(PLATFORMS); do \
		echo "$$p"; \
		export GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0; \
		$(GO) vet $(TAGFLAG) $(PKGS); \
		$(GO) build $(TAGFLAG) $$($(GO) list $(TAGFLAG) -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' $(PKGS)) ./cmd/rung; \
	done

test:
	$(GOTEST) $(TESTFLAGS) $(TAGFLAG) $(PKGS) $(COLLECT)

# What a short run is to take is said by CONTRIBUTING.md.
short:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; status=0; $(GO) build -o "$$dir/processor" ./internal/test/processor; \
	$(GO) test -short -count=1 -exec="$$dir/processor -into $$dir/times -most $(SHORTMOST)" $(TESTFLAGS) $(TAGFLAG) $(PKGS) || status=$$?; \
	touch "$$dir/times"; sort -rn "$$dir/times" | awk '$$1 >= 1 {print $$1 " s", $$2} {all += $$1} END {printf "%.1f s of processor time in tests\n", all}'; exit $$status

# What go test -vet=all leaves of make vet. Go test vets with other flags than go vet, so that what it has found out of other packages serves here.
vet-small:
	$(GO) test -vet=all -c -ldflags=-w -o /dev/null -tags=small $(SMALL)

race:
	CGO_ENABLED=1 $(GOTEST) -race -short $(TAGFLAG) $(PKGS) $(COLLECT)

# Mechanisms in pieces on processes, with Debian's libopenmpi-dev, openmpi-bin and libmumps-dev. A root user has to say so to mpirun.
MPIRUN := mpirun --oversubscribe $(if $(filter 0,$(shell id -u)),--allow-run-as-root)
MPIRANKS := 2 3 4 7
test-mpi: test-mpi-packages
	@bin=$$(mktemp); trap 'rm -f "$$bin"' EXIT; \
	$(PROGRAM) -tags mpi,mumps -o "$$bin" ./cmd/rung; \
	RUNG_MPI="$(MPIRUN)" RUNG_COMMAND="$$bin" RUNG_RANKS="$(MPIRANKS)" $(GOTEST) $(TESTFLAGS) -count=1 -v -run '^TestMPI' ./cmd/rung $(COLLECTALL)

test-mpi-packages:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; bin="$$dir/mpi.test"; \
	$(GO) test -vet=all -c -ldflags=-w -tags mpi,mumps -o "$$dir" ./dist/mpi ./dist/mumps; : the others have no file with these tags; \
	for n in $(MPIRANKS); do $(MPIRUN) -n $$n "$$bin"; done; \
	for how in 'return:waits for rank 2, which has ended' 'unread:has not taken' 'goexit:ended by runtime.Goexit' 'panic:panic: boom' 'error:bad luck'; do \
		status=0; said=$$(RUNG_ENDS=$${how%%:*} timeout 60 $(MPIRUN) -n 3 "$$bin" 2>&1) || status=$$?; \
		case "$$status $$said" in [1-9]\ *"$${how#*:}"*) echo "ok   a rank that ends early: $$how";; *) echo "FAIL $$how: status $$status: $$said"; exit 1;; esac; \
	done

# The tests that are marked //rung:race, and those of folders with a test file that has the mark above its package clause. Under the race detector
# the others take a quarter of an hour, nearly all of it on one goroutine. A test of internal/arch holds that tests which start goroutines have it.
RACEMARKS := $(shell grep -rl --include='*_test.go' --exclude-dir=testdata '^//rung:race$$' . | xargs awk 'FNR == 1 {m = 0} /^\/\/rung:race$$/ {m = 1} \
	/^package / {if (m) print "all:" FILENAME; m = 0} /^func / {sub(/[^A-Za-z0-9_].*/, "", $$2); if (m) print "one:" FILENAME " run:" $$2; m = 0}')
RACEPKGS := $(sort $(patsubst %/,%,$(dir $(patsubst all:%,%,$(filter all:%,$(RACEMARKS))))))
RACESOME := $(filter-out $(RACEPKGS),$(sort $(patsubst %/,%,$(dir $(patsubst one:%,%,$(filter one:%,$(RACEMARKS)))))))
RACERUN := $(subst $() ,|,$(sort $(patsubst run:%,%,$(filter run:%,$(RACEMARKS)))))
# RACEOUT are folders to leave out, such as ./cmd/%.
RACEOUT ?=
race-quick:
	CGO_ENABLED=1 $(GOTEST) -race -short $(TESTFLAGS) $(TAGFLAG) $(filter-out $(RACEOUT),$(RACEPKGS)) $(COLLECT)
	CGO_ENABLED=1 $(GOTEST) -race -short $(TESTFLAGS) -run '^($(RACERUN))$$' $(TAGFLAG) $(filter-out $(RACEOUT),$(RACESOME)) $(COLLECT)

# A seeded walk is a function of the commit, and so may decide about one. RUNG_WALK_SEED takes another (internal/check).
walk:
	RUNG_WALK=$(WALK) $(GOTEST) -run '^Fuzz' $(TAGFLAG) $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u) $(COLLECT)

more:
	RUNG_MORE=$(MORE) $(GOTEST) $(TESTFLAGS) -timeout 4h $(TAGFLAG) $(PKGS) $(COLLECT)

# go test runs one fuzz target at a time.
fuzz:
	@for pkg in $$($(GO) list $(PKGS)); do \
		list=$$($(GO) test -list '^Fuzz' $$pkg); \
		for target in $$(grep '^Fuzz' <<<"$$list" || true); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
		done; \
	done

# Half an hour on two cores for all; SABOTAGEFLAGS takes a part, such as "-only factor/refine" or "-shard 1/4".
sabotage:
	$(GO) run ./internal/sabotage $(SABOTAGEFLAGS)

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKGS) | tee $(OUT)

bench-compare: $(BENCHSTAT)
	$(BENCHSTAT) $(OLD) $(NEW)

# Families of redundant mechanisms and hubs, as docs/benchmarks.md has them, and the models of 500 bodies of docs/play.md.
REDUNDANT := scissor,hoberman,miura,delta,jansen,excavator
PLAYED    := excavator:165 jansen:42 miura:22 hoberman:250 hoberman-sphere:20 delta:166 scissor:250 tracked:124 rolling-disc:500 snakeboard:125 bicycle:125 biped:22 cam-train:166
tables:
	mkdir -p $(TABLES)
	for k in 1 2 3 4; do $(GO) run ./cmd/rung bench --family $(REDUNDANT) --sizes 20,80,320,1280 --min-seconds 0.1 --threads 1 --json > $(TABLES)/families-$$k.json; done
	RUNG_BATCH_TIMES=1 $(GO) test -count=1 -v -run TestTimes ./batch > $(TABLES)/batch.txt
	$(MAKE) bench BENCH=Roofline PKGS=./kkt OUT=$(TABLES)/roofline.txt
	RUNG_PLAY=10 $(GO) test -count=1 -timeout 1h -v -run TestGallery ./live > $(TABLES)/play.txt
	RUNG_PLAY=3 RUNG_PLAY_MODELS="$(PLAYED)" $(GO) test -count=1 -v -run TestGallery ./live > $(TABLES)/play-500.txt
	RUNG_PLAY=10 $(GO) test -count=1 -v -run TestRealTime ./live > $(TABLES)/real-time.txt
	bench/peers/run.sh -rollouts -into docs/benchmarks.md
	bench/peers/run.sh -figures all -into docs/benchmarks.md

golden:
	$(GO) test $(GOLDENPKGS) -update

cover:
	$(GO) test -coverprofile cover.out -coverpkg ./... $(PKGS)
	$(GO) tool cover -func cover.out | tail -n 1

# A module of its own, so that users do not get what drives the browser.
# In short, BROWSERFLAGS=-short, without the playground, for which everything is compiled to WebAssembly.
BROWSERFLAGS ?=
browser:
	$(GO) -C scene/view/browser test -vet=all $(if $(NOTRUN),-json) -count=1 -timeout 15m $(BROWSERFLAGS) ./... $(COLLECT)

man:
	$(GO) run ./cmd/rung man $(MANDIR)

$(STATICCHECK):
	GOBIN=$(@D) $(GO) install -ldflags=-w honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)

$(BENCHSTAT):
	GOBIN=$(@D) $(GO) install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION)

$(CYCLONEDX):
	GOBIN=$(@D) $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)

RELEASEFLAGS = -version "$(VERSION)" -out "$(RELEASEDIR)" $(if $(ONLY),-only "$(ONLY)") $(if $(LIBRARIES),-libraries "$(LIBRARIES)") $(if $(STRICT),-strict)
release: $(CYCLONEDX)
	$(GO) run ./internal/release $(RELEASEFLAGS) -sbom "$(CYCLONEDX)" $(RELEASECHECK)

release-check: RELEASECHECK := -check
release-check: release

release-fresh:
	bash release/fresh.sh "$(RELEASEDIR)"

release-library:
	$(GO) run ./internal/release $(RELEASEFLAGS) -library "$(PLATFORM)"

# The library, of this system or of GOOS and GOARCH with a compiler in CC. Its name as it is loaded has the edition of the interface, so that a
# process has one of each. With an empty TRIMPATH its packages are those of tests with GOFLAGS=-buildmode=pie, and nothing is compiled for it.
LIBGOOS = $(shell $(GO) env GOOS)
LIBFILE = $(if $(filter windows,$(LIBGOOS)),librung-1.dll,$(if $(filter darwin,$(LIBGOOS)),librung.dylib,librung.so))
LIBLINK = $(if $(filter windows,$(LIBGOOS)),,$(if $(filter darwin,$(LIBGOOS)),-extldflags=-Wl$(comma)-install_name$(comma)@rpath/librung-1.dylib,-extldflags=-Wl$(comma)-soname$(comma)librung-1.so))
comma := ,
LIBSTRIP := -s # no names of functions; with none, valgrind knows those in C from those in Go
library:
	@mkdir -p "$(LIBDIR)"
	CGO_ENABLED=1 $(GO) build -buildmode=c-shared $(TRIMPATH) -ldflags='$(LIBSTRIP) -w $(LIBLINK)' -o "$(LIBDIR)/$(LIBFILE)" ./cmd/librung
	@rm -f "$(LIBDIR)"/librung*.h # of cgo; rung.h is the header

CWARN := -Wall -Wextra -Werror
clib: library
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; cp "$(LIBDIR)/librung.so" "$$dir/librung-1.so"; \
	link="-L$$dir -l:librung-1.so -lm -lpthread -Wl,-rpath,$$dir"; cd cmd/librung/ctest; \
	$${CC:-gcc} -std=c99 -D_POSIX_C_SOURCE=200809L $(CWARN) -o "$$dir/c" check.c $$link; \
	$${CXX:-g++} $(CWARN) -x c++ -o "$$dir/cxx" check.c $$link; \
	$${CXX:-g++} -std=c++17 $(CWARN) -o "$$dir/hpp" check.cpp $$link; \
	$${CC:-gcc} -std=c99 $(CWARN) -I.. -o "$$dir/hold" ../../../examples/c/hold.c $$link; \
	sed -n '/^```c$$/,/^```$$/p' ../../../docs/c.md | grep -v '^```' >"$$dir/page.c"; \
	$${CC:-gcc} -std=c99 $(CWARN) -I.. -o "$$dir/page" "$$dir/page.c" $$link; \
	localedef -i de_DE -f UTF-8 "$$dir/de_DE.UTF-8" 2>/dev/null || true; \
	for p in c cxx hpp hold; do LOCPATH="$$dir" "$$dir/$$p" ../../../docs/four-bar.model.json; done; \
	cd ../../../docs; "$$dir/page"

# The race detector wants the data of Go at low addresses, where no shared library and no program that may be moved has them: so the library is
# an archive in a program that stays where it is linked. It cannot be loaded into Python.
clib-race:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	CGO_ENABLED=1 $(GO) build -race -buildmode=c-archive -trimpath -o "$$dir/librung.a" ./cmd/librung; cd cmd/librung/ctest; \
	$${CC:-gcc} -no-pie -std=c99 -D_POSIX_C_SOURCE=200809L $(CWARN) -o "$$dir/c" check.c "$$dir/librung.a" -lm -lpthread; \
	"$$dir/c" ../../../docs/four-bar.model.json

python: library
	RUNG_LIBRARY="$(abspath $(LIBDIR))/librung.so" PYTHONPATH=python timeout 300 $(PYTHON) -m pytest -q -p no:cacheprovider --doctest-modules python

wheel: library
	$(PYTHON) python/build_wheel.py --version "$$($(GO) version -m "$(LIBDIR)/$(LIBFILE)" | awk '$$1 == "mod" {print $$3}')" --library "$(LIBDIR)/$(LIBFILE)" --tag $(WHEELTAG) -o "$(LIBDIR)"

# The page of cmd/rungwasm: its files, those of scene/view in view/, the program, and the examples that index.html names. With COMMAND, a program of
# cmd/rung that is there already, none is built for the examples.
playground: playground-page
	GOOS=js GOARCH=wasm CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o "$(PLAYGROUND)/rung.wasm" ./cmd/rungwasm

playground-page:
	@rm -rf "$(PLAYGROUND)/view"; mkdir -p "$(PLAYGROUND)/models"
	@cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" cmd/rungwasm/page/* "$(PLAYGROUND)"; cp -R scene/view/page "$(PLAYGROUND)/view"
	@for m in four-bar excavator tolerances; do cp "docs/$$m.model.json" "$(PLAYGROUND)/models/$$m.json"; done
	@bin="$(COMMAND)"; [ -n "$$bin" ] || { bin=$$(mktemp); trap 'rm -f "$$bin"' EXIT; $(PROGRAM) -o "$$bin" ./cmd/rung; }; \
	for m in jansen:1 scissor:4 stewart:1 delta:1 hoberman:8 miura:3 rolling-disc:2; do "$$bin" generate "$${m%:*}" "$${m#*:}" -o "$(PLAYGROUND)/models/$${m%:*}.json"; done

wasm: playground
	GOOS=js GOARCH=wasm $(GO) vet ./cmd/rungwasm/...
	node cmd/rungwasm/nodetest/check.js "$(PLAYGROUND)"

# The site: site/gen writes what Hugo reads, from docs, the command, Python's package, rung.h and the records of measurements; then the index for
# search. No test of the site opens the playground, so that SITEPLAYGROUND=playground-page, without its program, does for site-check. Hugo is Debian's, 0.111, or a later one: a build of our own would take minutes, and templates use nothing newer.
SITESOURCE := $(CURDIR)/out/site-source
site:
	@command -v $(HUGO) >/dev/null || { echo "make site: no $(HUGO); it takes Debian's package hugo, or Hugo 0.111 or later from gohugo.io"; exit 1; }
	@mkdir -p "$(SITESOURCE)"
	$(PROGRAM) -o "$(SITESOURCE)/rung" ./cmd/rung
	$(GO) -C site run ./gen -rung "$(SITESOURCE)/rung" -root .. -python $(PYTHON) -o "$(SITESOURCE)"
	$(HUGO) --quiet -s "$(SITESOURCE)" --themesDir "$(CURDIR)/site" --config "$(CURDIR)/site/hugo.toml" -d "$(abspath $(SITE))" --cleanDestinationDir
	$(MAKE) $(SITEPLAYGROUND) PLAYGROUND="$(SITE)/playground" COMMAND="$(SITESOURCE)/rung"
	$(GO) -C site run ./gen -finish "$(abspath $(SITE))"

site-check: site
	RUNG_SITE="$(abspath $(SITE))" $(GO) -C site test -vet=all $(if $(NOTRUN),-json) -count=1 -timeout 10m $(SITEFLAGS) ./... $(COLLECT)

# The part of a functional mock-up unit that is plain C, and finds the library in the process or beside itself. With both in a folder,
# rung export --libraries FOLDER packs units for this system.
fmu-stub:
	@mkdir -p "$(LIBDIR)"
	$${CC:-gcc} -std=c99 -O2 $(CWARN) -shared -fPIC -fvisibility=hidden $(LIBSTRIP) -o "$(LIBDIR)/rung-fmu.$(if $(filter windows,$(LIBGOOS)),dll,so)" cmd/librung/fmi/fmi2.c cmd/librung/fmi/fmi3.c cmd/librung/fmi/unit.c $(if $(filter linux,$(LIBGOOS)),-ldl)

# Units of both versions are made, unpacked and moved by tools in C, and compared with rung simulate.
fmi: library fmu-stub
	@bin=$$(mktemp); trap 'rm -f "$$bin"' EXIT; $(PROGRAM) -o "$$bin" ./cmd/rung; \
	bash cmd/librung/fmi/check/run.sh "$$bin" "$(LIBDIR)" "$(PYTHON)"

# The tools in C, and the tests of the library in C, under valgrind, which looks at what is written in C: what it says of functions in Go, whose stacks
# it does not know, is left out (go.supp). Numbers of Go are set or not as it seems to valgrind, so that it cannot look for numbers that are not. A switch
# from one stack to another must not be told to be a large frame (--max-stackframe): all in between would be marked, which takes gigabytes and minutes.
# Threads take turns (--fair-sched): else one that waits for another in a loop may keep the processor from it for minutes.
VALGRIND := valgrind -q --fair-sched=try --error-limit=no --undef-value-errors=no --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
	--suppressions=$(CURDIR)/cmd/librung/ctest/go.supp
fmi-valgrind:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; $(MAKE) --no-print-directory library fmu-stub LIBDIR="$$dir" LIBSTRIP=; \
	$(PROGRAM) -o "$$dir/rung" ./cmd/rung; \
	VALGRIND="$(VALGRIND)" bash cmd/librung/fmi/check/run.sh "$$dir/rung" "$$dir" "$(PYTHON)"

clib-valgrind:
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; $(MAKE) --no-print-directory library LIBDIR="$$dir" LIBSTRIP=; \
	cp "$$dir/librung.so" "$$dir/librung-1.so"; \
	$${CC:-gcc} -g -std=c99 -D_POSIX_C_SOURCE=200809L $(CWARN) -o "$$dir/c" cmd/librung/ctest/check.c "-L$$dir" -l:librung-1.so -lm -lpthread -Wl,-rpath,"$$dir"; \
	$(VALGRIND) "$$dir/c" docs/four-bar.model.json
