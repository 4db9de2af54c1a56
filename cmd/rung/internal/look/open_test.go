//go:build linux

//rung:race
package look_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/look"
	"github.com/rung-mbd/rung/model"
)

// opener is an xdg-open that writes its arguments and its process into a folder and then waits, as a browser does.
const opener = `#!/bin/sh
echo "$@" > "$OPENED/args"
echo $$ > "$OPENED/pid.tmp"
mv "$OPENED/pid.tmp" "$OPENED/pid"
exec sleep 60
`

// shown is a command that shows a page, and what it has started.
type shown struct {
	address, home string
	args          string // of what is to be the browser
	pid           int
	end           func()
}

// show runs a command on a small model with an opener that does nothing, until end.
func show(t *testing.T, command string) shown {
	t.Helper()
	m, err := bench.Scissor(2, 1)
	require.NoError(t, err)
	base, err := os.MkdirTemp("", "rung-shown-") // others may enter it, unlike the parent of t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(base) })
	require.NoError(t, os.Chmod(base, 0o755))
	path, bin := filepath.Join(base, "m.json"), filepath.Join(base, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(opener), 0o755))
	require.NoError(t, model.WriteFile(path, m))
	require.NoError(t, os.Chmod(path, 0o644))
	t.Setenv("HOME", base)
	t.Setenv("OPENED", base)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))

	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	c := &cobra.Command{Use: "rung"}
	c.AddCommand(look.New()...)
	c.SetArgs([]string{command, path})
	c.SetOut(w)
	c.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	s := shown{address: strings.TrimSpace(line), home: base}
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(filepath.Join(base, "pid"))
		if err == nil {
			s.pid, err = strconv.Atoi(strings.TrimSpace(string(b)))
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	b, err := os.ReadFile(filepath.Join(base, "args"))
	require.NoError(t, err)
	s.args = strings.TrimSpace(string(b))
	done := false
	s.end = func() {
		if !done {
			done = true
			cancel()
			require.NoError(t, <-ended)
		}
	}
	t.Cleanup(func() {
		syscall.Kill(s.pid, syscall.SIGTERM)
		s.end()
	})
	return s
}

// TestSecretIsNoArgument: what starts the browser is given a file that the user alone can read, which leads to the page and
// is gone when the page has been read, or when the command ends.
func TestSecretIsNoArgument(t *testing.T) {
	for _, command := range []string{"view", "play"} {
		for _, read := range []bool{true, false} {
			s := show(t, command)
			u, err := url.Parse(s.address)
			require.NoError(t, err)
			secret := strings.Trim(u.Path, "/")
			require.Len(t, secret, 32)
			assert.NotContains(t, s.args, secret)
			arguments, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/cmdline")
			require.NoError(t, err)
			assert.NotContains(t, string(arguments), secret)

			require.Equal(t, s.home, filepath.Dir(filepath.Dir(s.args)))
			assert.False(t, strings.HasPrefix(filepath.Base(filepath.Dir(s.args)), "."), "browsers in a box do not see it")
			for path, mode := range map[string]os.FileMode{s.args: 0o600, filepath.Dir(s.args): 0o700} {
				info, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, mode, info.Mode().Perm(), path)
			}
			text, err := os.ReadFile(s.args)
			require.NoError(t, err)
			assert.Contains(t, string(text), `content="0; url=`+s.address+`"`)

			if read {
				for _, path := range []string{"wrong/", ""} {
					other, err := http.Get("http://" + u.Host + "/" + path)
					require.NoError(t, err)
					other.Body.Close()
					require.Equal(t, http.StatusForbidden, other.StatusCode)
				}
				require.FileExists(t, s.args)
				page, err := http.Get(s.address)
				require.NoError(t, err)
				page.Body.Close()
				require.Equal(t, http.StatusOK, page.StatusCode)
			} else {
				s.end()
			}
			require.Eventually(t, func() bool { // the page is answered before the file goes
				_, err := os.Stat(filepath.Dir(s.args))
				return os.IsNotExist(err)
			}, 10*time.Second, time.Millisecond, "read: %v", read)
		}
	}
}

// TestOthersSeeNothing: another user of the machine finds the secret neither in the arguments of any program nor in a file, and
// gets no scene.
func TestOthersSeeNothing(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if err != nil || os.Getuid() != 0 {
		t.Skip("needs root, to be the user nobody")
	}
	uid, err := strconv.Atoi(nobody.Uid)
	require.NoError(t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	require.NoError(t, err)
	as := func(script string) (string, error) {
		c := exec.Command("/bin/sh", "-c", script)
		c.Dir, c.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		out, err := c.Output()
		return string(out), err
	}
	for _, command := range []string{"view", "play"} {
		s := show(t, command)
		u, err := url.Parse(s.address)
		require.NoError(t, err)
		secret := strings.Trim(u.Path, "/")

		all, err := as("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'; true")
		require.NoError(t, err)
		require.Contains(t, all, "sleep", "arguments of others are seen")
		assert.NotContains(t, all, secret)
		_, err = as("cat " + filepath.Join(s.home, "m.json"))
		require.NoError(t, err, "what is open to all is read")
		_, err = as("cat " + s.args)
		require.Error(t, err)
		_, err = as("ls " + filepath.Dir(s.args))
		require.Error(t, err)
		_, err = as("cat /proc/" + strconv.Itoa(s.pid) + "/environ /proc/" + strconv.Itoa(os.Getpid()) + "/environ")
		require.Error(t, err)
	}
}
