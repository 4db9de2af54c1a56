package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/spf13/cobra"
)

// inverseFlags are the flags of rung inverse.
type inverseFlags struct {
	ordering orderingFlag
	actuated []string
	accel    string
	json     bool
}

func newInverse() *cobra.Command {
	f := &inverseFlags{}
	cmd := &cobra.Command{
		Use:   "inverse MODEL --actuated j1,j2,…",
		Short: "Actuator forces that make wanted accelerations",
		Long: `Finds the forces along chosen freedoms that make wanted accelerations at the
state of MODEL ("-": standard input), in addition to the forces that the model
has. An actuator is a joint, with all its scalar freedoms, or one freedom of it:
j1.0. The wanted accelerations are the bodies of a rung-result/1 document
(--accel), or zero, to hold still; those that the joints do not allow are
replaced by the nearest ones, and the distance is reported.

Status: proper, as many actuators as needed; redundant, more, with forces of
least norm; under, some motion is not controlled, which is an error if the
wanted accelerations need it.`,
		Example:           "  rung inverse four-bar.json --actuated p1",
		Args:              arguments("MODEL"),
		ValidArgsFunction: completeModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runInverse(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.actuated, "actuated", nil, "joints, or joint.freedom, that are actuated")
	flags.StringVar(&f.accel, "accel", "", "rung-result/1 document with the wanted accelerations of the bodies")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.add(cmd)
	return cmd
}

// inverseDocument is what rung inverse --json prints.
type inverseDocument struct {
	Format       string          `json:"format"`
	Name         string          `json:"name"`
	Actuators    []actuatorForce `json:"actuators"`
	Status       string          `json:"status"`
	Uncontrolled []string        `json:"uncontrolled"`
	Residual     float64         `json:"residual"`
	Distance     float64         `json:"distance"` // between the accelerations asked for and those the joints allow
}

// actuatorForce is the force of one actuator, N or N m.
type actuatorForce struct {
	Joint   string  `json:"joint"`
	Freedom int     `json:"freedom"`
	Force   float64 `json:"force"`
}

func runInverse(cmd *cobra.Command, path string, f *inverseFlags) error {
	stdin, stdout, stderr := streams(cmd)
	if len(f.actuated) == 0 {
		return useErrorf("no actuators: give --actuated j1,j2,…")
	}
	p := newProgress(stderr)
	defer p.end()
	m, err := readModel(path, stdin, p)
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	actuators, err := parseActuators(mech, f.actuated)
	if err != nil {
		return err
	}
	wanted, err := readAccelerations(f.accel, mech)
	if err != nil {
		return err
	}
	v, err := plan.NewInverse(actuators)
	if err != nil {
		return useErrorf("%v", err)
	}
	p.stage("solving", 0)
	err = v.Solve(plan.Initial(), wanted)
	if err != nil && !errors.Is(err, rung.ErrUnderactuated) {
		return failed(modelFile(path), err)
	}
	p.end()
	doc := newInverseDocument(mech, actuators, v)
	werr := writeFile(stdio, stdout, func(w io.Writer) error {
		if f.json {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(doc)
		}
		return printInverse(w, doc)
	})
	return errors.Join(werr, failed(modelFile(path), err))
}

// parseActuators turns joints and joint.freedom into freedoms. A name that is a
// joint's as a whole is taken as that, so that names may have points.
func parseActuators(mech *mechanism.Mechanism, words []string) ([]mechanism.Freedom, error) {
	var list []mechanism.Freedom
	for _, word := range words {
		word = strings.TrimSpace(word)
		if j, err := mech.JointIndex(word); err == nil {
			n := 0
			for i := range mech.Joints[j].Kind.Freedoms() {
				if mech.Joints[j].Kind.Scalar(i) {
					list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
					n++
				}
			}
			if n == 0 {
				return nil, useErrorf("--actuated: joint %q has no scalar freedom", word)
			}
			continue
		}
		i := strings.LastIndexByte(word, '.')
		if i < 0 {
			return nil, useErrorf("--actuated: no joint %q", word)
		}
		j, err := mech.JointIndex(word[:i])
		if err != nil {
			return nil, useErrorf("--actuated: no joint %q and no joint %q", word, word[:i])
		}
		k, err := strconv.Atoi(word[i+1:])
		if err != nil || k < 0 || k >= mech.Joints[j].Kind.Freedoms() {
			return nil, useErrorf("--actuated: joint %q (%v) has no freedom %q", word[:i], mech.Joints[j].Kind, word[i+1:])
		}
		list = append(list, mechanism.Freedom{Joint: j, Freedom: k})
	}
	return list, nil
}

// readAccelerations reads the bodies of a rung-result/1 document, six numbers a
// body in the order of the mechanism. No path gives nil.
func readAccelerations(path string, mech *mechanism.Mechanism) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, useErrorf("%v", plain(err))
	}
	var doc struct {
		Format string
		Bodies []rung.BodyResult
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, useErrorf("%s: %v", path, err)
	}
	if doc.Format != rung.ResultFormat {
		return nil, useErrorf("%s: $.format: wrong format (value %q)", path, doc.Format)
	}
	index := make(map[string]int, mech.NumBodies())
	for i := range mech.NumBodies() {
		index[mech.BodyName(i)] = i
	}
	a := make([]float64, 6*mech.NumBodies())
	seen := make([]bool, mech.NumBodies())
	for k, r := range doc.Bodies {
		i, ok := index[r.Name]
		if !ok || seen[i] {
			return nil, useErrorf("%s: $.bodies[%d].name: no such body, or twice (value %q)", path, k, r.Name)
		}
		seen[i] = true
		copy(a[6*i:], r.AngularAcceleration[:])
		copy(a[6*i+3:], r.ComAcceleration[:])
	}
	if i := slices.Index(seen, false); i >= 0 {
		return nil, useErrorf("%s: $.bodies: body %q is missing", path, mech.BodyName(i))
	}
	return a, nil
}

func newInverseDocument(mech *mechanism.Mechanism, actuators []mechanism.Freedom, v *rung.Inverse) *inverseDocument {
	doc := &inverseDocument{
		Format: "rung-inverse/1", Name: mech.Name, Status: "proper", Uncontrolled: []string{},
		Actuators: make([]actuatorForce, len(actuators)), Residual: v.Residual(), Distance: v.Distance(),
	}
	for i, u := range v.Forces() {
		doc.Actuators[i] = actuatorForce{mech.JointName(actuators[i].Joint), actuators[i].Freedom, u}
	}
	switch {
	case v.Mobility() > 0:
		doc.Status = "under"
		for _, f := range v.Uncontrolled() {
			doc.Uncontrolled = append(doc.Uncontrolled, fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom))
		}
	case v.Surplus() > 0:
		doc.Status = "redundant"
	}
	return doc
}

func printInverse(w io.Writer, doc *inverseDocument) error {
	fmt.Fprintf(w, "%-24s %7s %18s\n", "actuator", "freedom", "force, N or N m")
	for _, a := range doc.Actuators {
		fmt.Fprintf(w, "%-24s %7d %18.6g\n", a.Joint, a.Freedom, a.Force)
	}
	fmt.Fprintf(w, "\nstatus        %s\n", doc.Status)
	if doc.Status == "under" {
		item(w, "uncontrolled", listOf(doc.Uncontrolled))
	}
	_, err := fmt.Fprintf(w, "residual      %.2g of the accelerations that the loads could make\ndistance      %.4g from the accelerations asked for\n", doc.Residual, doc.Distance)
	return err
}

// listOf joins the first names.
func listOf(names []string) string {
	if len(names) == 0 {
		return "bodies on ball joints or without joints"
	}
	if n := len(names) - listed; n > 0 {
		return strings.Join(names[:listed], ", ") + fmt.Sprintf(", and %d more", n)
	}
	return strings.Join(names, ", ")
}
