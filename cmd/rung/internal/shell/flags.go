package shell

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/spf13/cobra"
)

// OrderingFlag is the value of --ordering.
type OrderingFlag struct{ order.Ordering }

func (f *OrderingFlag) Type() string { return "name" }

// Set reads the name of an ordering.
func (f *OrderingFlag) Set(s string) error {
	o, err := order.Parse(s)
	if err != nil {
		return errors.New(fault.NoneOf("ordering", s, OrderingNames()))
	}
	f.Ordering = o
	return nil
}

// IsAuto reports whether no ordering was asked for.
func (f *OrderingFlag) IsAuto() bool { return f.Ordering == order.Auto }

// ThreadsFlag is the value of --threads; 0 stands for 1.
type ThreadsFlag int

func (f *ThreadsFlag) Type() string { return "n" }

func (f *ThreadsFlag) String() string { return strconv.Itoa(max(1, int(*f))) }

// Set reads a number of threads from 1 on.
func (f *ThreadsFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > kkt.MaxThreads {
		return fmt.Errorf("%s is not a number of threads from 1 to %d", fault.Name(s), kkt.MaxThreads)
	}
	*f = ThreadsFlag(n)
	return nil
}

func (f *ThreadsFlag) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "threads", "threads of the sparse method; the results are the same to the last bit")
}

// OrderingNames returns the names that --ordering takes.
func OrderingNames() []string {
	names := []string{order.Auto.String()}
	for _, o := range order.All() {
		names = append(names, o.String())
	}
	return names
}

func (f *OrderingFlag) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "ordering", "elimination order: "+strings.Join(OrderingNames(), ", "))
	Complete(cmd, "ordering", OrderingNames()...)
}
