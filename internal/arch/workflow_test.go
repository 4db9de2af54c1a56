package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// pinned is what a workflow uses: an action at a commit, with the version that people know in a comment.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// used returns what a workflow uses, line by line as written behind "uses:".
func used(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		if what, ok := strings.CutPrefix(line, "uses:"); ok {
			list = append(list, strings.TrimSpace(what))
		}
	}
	return list
}

// TestActionsArePinned: workflows use actions by commit, as whoever owns a tag can move it, and the same one everywhere.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	commit := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, what := range used(string(text)) {
			require.Regexp(t, pinned, what, filepath.Base(file))
			name, at, _ := strings.Cut(what, "@")
			if commit[name] == "" {
				commit[name] = at
			}
			require.Equal(t, commit[name], at, "%s: %s at two commits", filepath.Base(file), name)
		}
	}
	require.NotEmpty(t, commit)
	for _, loose := range []string{"actions/checkout@v4", "actions/checkout@11bd719", "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "actions/checkout@main # v4.2.2"} {
		require.NotRegexp(t, pinned, loose)
	}
}

// workflow is what the tests look at of a workflow.
type workflow struct {
	On          any               `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		If          string            `yaml:"if"`
		Permissions map[string]string `yaml:"permissions"`
		Environment string            `yaml:"environment"`
		Minutes     int               `yaml:"timeout-minutes"`
		Container   string            `yaml:"container"`
		Strategy    struct {
			Matrix struct{ Include []map[string]string }
		}
		Steps []struct{ Uses, Run string }
	}
}

// mayWrite are the jobs that may more than read the repository, and what.
var mayWrite = map[string]map[string]string{
	"release.yml guarded": {"actions": "read"},
	"release.yml publish": {"contents": "write", "id-token": "write", "attestations": "write"},
	"release.yml pypi":    {"id-token": "write"},
	"site.yml publish":    {"pages": "write", "id-token": "write"},
}

// writesIf is when a job of a workflow may write: a release on a tag, the site on main alone.
func writesIf(file string) string {
	if file == "site.yml" {
		return "github.ref == 'refs/heads/main'"
	}
	return "github.ref_type == 'tag'"
}

// imagePinned is an image of a container by its digest, with the version that people know.
var imagePinned = regexp.MustCompile(`^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)

// faults returns what is wrong with a workflow.
func (w *workflow) faults(file string) (list []string) {
	if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
		list = append(list, "permissions are not contents: read alone")
	}
	if on, ok := w.On.(map[string]any); ok {
		if _, ok := on["pull_request_target"]; ok {
			list = append(list, "pull_request_target runs the code of strangers with a token that may write")
		}
	}
	for name, job := range w.Jobs {
		say := func(what string) { list = append(list, name+": "+what) }
		writes := false
		for what, how := range job.Permissions {
			writes = writes || how != "read"
			if mayWrite[file+" "+name][what] != how {
				say("may " + how + " " + what)
			}
		}
		if writes && (job.Environment == "" || job.If != writesIf(file)) {
			say("writes outside of an environment, or on other commits than those of tags and, for the site, of main")
		}
		if job.Minutes == 0 {
			say("may take for ever")
		}
		images := []string{job.Container}
		for _, m := range job.Strategy.Matrix.Include {
			images = append(images, m["image"])
		}
		for _, image := range images {
			if image != "" && image != "${{ matrix.image }}" && !imagePinned.MatchString(image) {
				say("image " + image)
			}
		}
		for _, step := range job.Steps {
			if strings.Contains(step.Run, "${{ github.") { // what strangers name would be read by the shell
				say("a command has words of the event: " + step.Run)
			}
		}
	}
	return list
}

// TestWorkflowsAskForLittle: workflows may read the repository alone, but for the jobs that publish: a release for tags, the site for main, each in an
// environment, which may ask for a person; images are pinned by digest; nothing that strangers name gets into a shell.
func TestWorkflowsAskForLittle(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*"))
	require.NoError(t, err)
	jobs := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var w workflow
		require.NoError(t, yaml.Unmarshal(text, &w), file)
		assert.Empty(t, w.faults(filepath.Base(file)), file)
		for name := range w.Jobs {
			jobs[filepath.Base(file)+" "+name] = true
		}
	}
	for name := range mayWrite {
		assert.True(t, jobs[name], "%s is allowed to write, and is not there", name)
	}
	for _, c := range []struct{ old, new string }{
		{"permissions:\n  contents: read", "permissions:\n  contents: write"}, {"permissions:\n  contents: read\n", ""}, {"  pull_request:", "  pull_request_target:"},
		{"    environment: pypi\n", ""}, {"if: github.ref_type == 'tag'\n    needs: [wheels, guarded]", "needs: [wheels, guarded]"},
		{"actions: read", "actions: write"}, {"      attestations: write", "      packages: write"}, {"@sha256:c226", "@sha256:x226"},
		{"run: make check", "run: echo ${{ github.event.pull_request.title }}"}, {"    timeout-minutes: 30\n", ""},
	} {
		requireFault(t, "release.yml", c.old, c.new)
	}
	for _, c := range []struct{ old, new string }{
		{"if: github.ref == 'refs/heads/main'\n    ", ""}, {"if: github.ref == 'refs/heads/main'", "if: github.ref_type == 'tag'"},
		{"    environment: github-pages\n", ""}, {"pages: write", "contents: write"},
	} {
		requireFault(t, "site.yml", c.old, c.new)
	}
}

// requireFault requires that a workflow with something in place of something else has a fault.
func requireFault(t *testing.T, file, old, new string) {
	t.Helper()
	text := page(t, ".github/workflows/"+file)
	require.Contains(t, text, old)
	var w workflow
	if yaml.Unmarshal([]byte(strings.Replace(text, old, new, 1)), &w) == nil { // a key that is there twice is refused, too
		assert.NotEmpty(t, w.faults(file), "%s → %s", old, new)
	}
}

// TestImagesArePinned: recipes of containers build on images by digest, and end with a user who is not root.
func TestImagesArePinned(t *testing.T) {
	text := page(t, "release/Containerfile")
	var stages, user []string
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "FROM" {
			stages = append(stages, f[1])
		} else if len(f) > 1 && f[0] == "USER" {
			user = append(user, f[1])
		}
	}
	require.Len(t, stages, 2)
	assert.Regexp(t, imagePinned, stages[0])
	assert.Equal(t, "scratch", stages[1])
	assert.Equal(t, []string{"65532:65532"}, user)
	for _, line := range []string{"install -D -m 644 LICENSE NOTICE -t /out/licences", "COPY --from=build /out/licences /licences"} {
		assert.Contains(t, text, line, "the licences of what is in the image")
	}
}
