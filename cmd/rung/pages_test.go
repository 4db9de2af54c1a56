package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageCommand is a command line of a page.
type pageCommand struct {
	text string
	span bool // in a sentence, where it may have placeholders such as MODEL
}

var (
	// commandLine is a line of code with the command in it.
	commandLine = regexp.MustCompile(`^(\$ )?(.*[ "|])?(rung|go run ./cmd/rung) [a-z]`)
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	commandSpan = regexp.MustCompile(`^(mpirun -n \S+ )?(rung|go run ./cmd/rung) [a-z][a-z-]*( |$)`)
	rungWord    = regexp.MustCompile(`(^|[ "])(rung|go run \./cmd/rung) `)
	// stands is what stands for a value in sentences: MODEL, N, T, N|mpi.
	stands = regexp.MustCompile(`^[A-Z]+(\|\w+)*$`)
	// shellValue is a value that the shell puts in.
	shellValue = regexp.MustCompile(`"?\$\w+"?|\{\}`)
)

// proseFences are languages of fenced blocks that are no command lines.
var proseFences = map[string]bool{"go": true, "json": true, "text": true, "bibtex": true, "sql": true, "python": true}

// pages returns the pages whose command lines are checked, by their names from the root of the repository.
func pages(t *testing.T) (list []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "bench/peers/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, path := range found {
			rel, err := filepath.Rel(filepath.Join("..", ".."), path)
			require.NoError(t, err)
			list = append(list, filepath.ToSlash(rel))
		}
	}
	return list
}

// pageCommands returns the command lines of a page: those of its blocks of code, with what is typed before and after rung,
// and those in its sentences.
func pageCommands(text string) (list []pageCommand) {
	fence, prose, typed := "", "", ""
	inFence, indented, blank := false, false, true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if language, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			inFence, fence = !inFence, language
			continue
		}
		indented = !inFence && strings.HasPrefix(line, "    ") && (indented || blank)
		blank = strings.TrimSpace(line) == ""
		switch {
		case !inFence && !indented:
			prose += line + "\n"
		case proseFences[fence] && inFence, fence == "console" && inFence && typed == "" && !strings.HasPrefix(line, "$ "):
		default:
			typed += strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			if more, ok := strings.CutSuffix(typed, "\\"); ok {
				typed = more
				continue
			}
			if commandLine.MatchString(typed) {
				list = append(list, pageCommand{text: typed})
			}
			typed = ""
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(prose, -1) {
		if s := strings.ReplaceAll(strings.Join(strings.Fields(m[1]), " "), `\|`, "|"); commandSpan.MatchString(s) {
			list = append(list, pageCommand{text: s, span: true})
		}
	}
	return list
}

// rungArguments returns the arguments of each rung on a command line.
func rungArguments(line string) (list [][]string) {
	line, _, _ = strings.Cut(line, " # ")
	line, _, _ = strings.Cut(line, " ::: ") // of GNU parallel
	for _, part := range regexp.MustCompile(` (\||&&|>) `).Split(line, -1) {
		at := rungWord.FindStringIndex(part)
		if at == nil {
			continue
		}
		part = part[at[1]:]
		part = strings.NewReplacer("[", "", "]", "").Replace(shellValue.ReplaceAllString(strings.TrimRight(part, `"]}`), "1"))
		args := fields(part)
		for i, a := range args {
			if stands.MatchString(a) || a == "mpi" { // which only some builds take
				args[i] = "1"
			}
		}
		list = append(list, args)
	}
	return list
}

// requireParses requires that the command has the subcommand and the flags of a command line, with values of their kinds.
func requireParses(t *testing.T, page string, c pageCommand) {
	t.Helper()
	list := rungArguments(c.text)
	require.NotEmpty(t, list, "%s: %s", page, c.text)
	for _, args := range list {
		if strings.HasPrefix(args[len(args)-1], "-") && c.span {
			args = append(args, "1") // a flag that is named without its value
		}
		root := newRoot()
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd(args...)
		cmd, rest, err := root.Find(args)
		if assert.NoError(t, err, "%s: %s", page, c.text) && assert.NotSame(t, root, cmd, "%s: %s", page, c.text) {
			assert.NoError(t, cmd.ParseFlags(rest), "%s: %s", page, c.text)
		}
	}
}

// TestPagesParse: subcommands and flags that pages name are those of the command, in lines and in sentences.
func TestPagesParse(t *testing.T) {
	lines, spans := 0, 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		require.NoError(t, err)
		for _, c := range pageCommands(string(text)) {
			requireParses(t, page, c)
			if c.span {
				spans++
			} else {
				lines++
			}
		}
	}
	assert.Greater(t, lines, 60)
	assert.Greater(t, spans, 100)
}

// TestPageCommands: what counts as a command line, and what the parser finds in it.
func TestPageCommands(t *testing.T) {
	page := "Run `rung play m.json` or\n`rung\nview m.json`, not `rung: no`.\n\n" +
		"    rung accel m.json   # one\n    x = rung\n\n" +
		"```console\n$ rung bench \\\n  --sizes 3\nrung prints this\n```\n\n" +
		"```sh\nmpirun -n 2 rung accel m.json --ranks mpi\n```\n\n```json\nrung accel\n```\n"
	assert.Equal(t, []pageCommand{
		{text: "rung accel m.json   # one"},
		{text: "rung bench --sizes 3"},
		{text: "mpirun -n 2 rung accel m.json --ranks mpi"},
		{text: "rung play m.json", span: true},
		{text: "rung view m.json", span: true},
	}, pageCommands(page))

	assert.Equal(t, [][]string{{"generate", "ladder", "9", "-o", "-"}, {"play", "-"}}, rungArguments("rung generate ladder 9 -o - | rung play - # or"))
	assert.Equal(t, [][]string{{"sweep", "s.json", "--index", "1", "--of", "8"}}, rungArguments("parallel rung sweep s.json --index {} --of 8 ::: $(seq 0 7)"))
	assert.Equal(t, [][]string{{"accel", "1", "--ranks", "1"}}, rungArguments("rung accel MODEL [--ranks N|mpi]"))
}

// TestStudyOfPage: the study that the page of sweeps shows is the file that its lines run.
func TestStudyOfPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	shown := blocks(readText(t, filepath.Join(docs, "sweeps.md")), "json")
	require.NotEmpty(t, shown)
	assert.Equal(t, readText(t, filepath.Join(docs, "study.json")), shown[0])
}

// TestDocumentsOfPage: the page of the command names the documents that rung schema prints, and has a row for each subcommand.
func TestDocumentsOfPage(t *testing.T) {
	page := readText(t, filepath.Join("..", "..", "docs", "cli.md"))
	row := regexp.MustCompile("(?m)^\\| `rung schema .*$").FindString(page)
	var named []string
	for _, m := range codeSpan.FindAllStringSubmatch(row, -1) {
		if !strings.Contains(m[1], " ") && !strings.HasPrefix(m[1], "-") {
			named = append(named, m[1])
		}
	}
	r := rungRun("schema", "none")
	_, there, _ := strings.Cut(r.Err, "there are those of ")
	there, _, _ = strings.Cut(there, "\n")
	assert.ElementsMatch(t, strings.Split(strings.TrimPrefix(there, "model, "), ", "), named)

	for _, c := range newRoot().Commands() {
		if c.Name() != "help" && c.Name() != "completion" {
			assert.True(t, strings.Contains(page, "\n| `rung "+c.Name()), "no row of %s", c.Name())
		}
	}
}
