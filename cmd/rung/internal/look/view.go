package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
)

// viewFlags are the flags of rung view.
type viewFlags struct {
	run       string
	port      int
	noBrowser bool
}

// newView returns the command rung view with its flags and their defaults.
func newView() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "view MODEL",
		Short: "Show the mechanism, and its motion, in the browser",
		Long: `Serves a page that shows MODEL to the browser of this machine, and opens it:
turn with the mouse, choose bodies and joints, see velocities, reactions and
what is redundant. With --run TRAJECTORY (.csv or .parquet of rung simulate) the
page plays it and draws curves of its columns.

The page comes from the program alone: it loads nothing from elsewhere. Its
address has a secret, and the server answers only this machine. The browser is
given a private file that leads there, in a folder rung-page-... of the home
folder, which is removed when the page has been read. It ends with the command:
press Ctrl-C.`,
		Example: `  rung view stewart.json
  rung simulate stewart.json --until 2 -o run.parquet
  rung view stewart.json --run run.parquet`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runView(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "trajectory of MODEL, ending in .csv or .parquet")
	f.add(flags)
	return cmd
}

// add declares the flags of pages.
func (f *viewFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.port, "port", 0, "port of the page; 0: any that is free")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "only print the address")
}

// check refuses a port that is out of range.
func (f *viewFlags) check() error {
	if f.port < 0 || f.port > 65535 {
		return shell.UseErrorf("--port %d: want 0 to 65535", f.port)
	}
	return nil
}

// runView shows the model, or a trajectory of it, in a page until the user ends it.
func runView(cmd *cobra.Command, path string, f *viewFlags) (err error) {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.check(); err != nil {
		return err
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return err
	}
	o := view.Options{Analyse: func(ctx context.Context) (*kkt.Plan, error) { return kkt.NewPlanContext(ctx, mech, rung.Options{}) }}
	st := mech.Initial()
	if f.run != "" {
		p.Stage("reading the trajectory", 0)
		run, err := openRun(cmd.Context(), mech, f.run)
		if err != nil {
			return err
		}
		defer run.close()
		if err := run.StateTo(st, 0); err != nil {
			return err
		}
		o.Run = run.Replay
	}
	s, err := newScene(m, mech, path, scene.Options{}, p, stderr)
	if err != nil {
		return err
	}
	v, err := view.NewViewer(s, st, view.NewSecret(), o)
	if err != nil {
		return shell.Failed(shell.ModelFile(path), err)
	}
	p.End()
	return serve(cmd.Context(), v, f, stdout, stderr)
}

// serve prints the address of the page, opens it in a browser unless --no-browser is given, and serves it until ctx ends.
func serve(ctx context.Context, v *view.Viewer, f *viewFlags, stdout, stderr io.Writer) error {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", f.port))
	if err != nil {
		return shell.UseErrorf("--port %d: %w", f.port, err)
	}
	address := v.Address(l.Addr().String())
	fmt.Fprintln(stdout, address)
	var handler http.Handler = v
	if !f.noBrowser {
		h, err := newHandover(address)
		if err != nil {
			fmt.Fprintf(stderr, "the browser is not opened, as there is no place for a private file: %v\n", err)
		} else {
			defer h.remove()
			handler = h.removeAfter(v, v.Path())
			h.open()
		}
	}
	s := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		if err = s.Close(); err == nil {
			err = shell.Interrupted(ctx)
		}
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}
