package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

const (
	tableColumns = 4     // columns that are read: t, x, y, z
	tableSure    = 1e-14 // relative error that reference/standard guarantees for all its trajectories
	timeTol      = 1e-9  // largest error of a printed time, relative to the whole time
)

// table reads the reference from a table of reference/standard, and keeps the rows at the samples. It returns an error if the rows
// cannot be divided into so many samples, or are not equally spaced.
func (p *problem) table(path string, samples int) error {
	rows, err := readTable(path)
	if err != nil {
		return err
	}
	n := len(rows) - 1
	if n < 1 {
		return fmt.Errorf("%s: there are no rows", path)
	}
	if n%samples != 0 {
		return fmt.Errorf("%s: %d intervals cannot be taken as %d", path, n, samples)
	}
	p.seconds = rows[n][0]
	for i := 0; i <= n; i += n / samples {
		if t := p.seconds * float64(i) / float64(n); math.Abs(rows[i][0]-t) > timeTol*p.seconds {
			return fmt.Errorf("%s: row %d is at %v s and not at %v s", path, i+1, rows[i][0], t)
		}
		p.want = append(p.want, spatial.Vec3(rows[i][1:tableColumns]))
	}
	at := &p.plan.Mechanism().Initial().Bodies[p.body]
	p.point = at.Rotation.Conj().Rotate(p.want[0].Sub(at.Position))
	p.from, p.sure = "reference/standard, by closed form or by one coordinate in extended precision", tableSure
	if p.off > 0 {
		p.from += "; its rods have no inertia about their axes, those of the model have 1e-9 kg m²"
		p.sure = p.off
	}
	return nil
}

// readTable reads the first tableColumns columns of a table of comma-separated numbers with a header.
func readTable(path string) (rows [][]float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		if line == 1 {
			if !strings.HasPrefix(in.Text(), "t,x") {
				return nil, fmt.Errorf("%s: the first columns are not t and x, y, z", path)
			}
			continue
		}
		fields := strings.Split(in.Text(), ",")
		if len(fields) < tableColumns {
			return nil, fmt.Errorf("%s: line %d has %d numbers", path, line, len(fields))
		}
		row := make([]float64, tableColumns)
		for i := range row {
			if row[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", path, line, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, in.Err()
}

const (
	fineStep  = 1e-4 // s, step of the reference of the chain
	fineOrder = 4    // order of RK4
)

// fine makes the reference by a run with fine steps: RK4 in joint coordinates, which no measured run uses. The difference to a run
// with twice the step gives the estimate of its error.
func (p *problem) fine(samples int) error {
	p.point = p.plan.Mechanism().Bodies[p.body].Com
	p.want = append(make([]spatial.Vec3, 0, samples+1), p.at(p.plan.Mechanism().Initial()))
	p.want = p.want[:samples+1] // so that samples and interval, which follow uses, are right
	var lists [2][]spatial.Vec3
	for i, h := range []float64{2 * fineStep, fineStep} {
		o, err := p.follow(&runs.Options{Integrator: runs.RungeKutta4, Method: motion.TreeDirect, Step: h}, math.Inf(1))
		if err != nil {
			return err
		}
		lists[i] = o.points
	}
	copy(p.want[1:], lists[1])
	p.from = fmt.Sprintf("rk4 by %v with steps of %g s", motion.TreeDirect, fineStep)
	most := 0.0
	for i, x := range lists[0] {
		most = max(most, x.Sub(lists[1][i]).Norm())
	}
	p.sure = most / (math.Pow(2, fineOrder) - 1) / extent(p.want)
	return nil
}
