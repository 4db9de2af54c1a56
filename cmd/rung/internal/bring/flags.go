package bring

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// flags are the flags of rung import.
type flags struct {
	output                  string
	base, massless, inertia string
	pose, gravity           []string
	key, loops              string
	packages                []string
	snap                    float64
	strict, close, json     bool
	dropArmature            bool
	keepFixed, keepFree     bool
}

// The words of flags, in the order of the constants of package source; the first is the default.
var (
	bases     = []string{"auto", "fixed", "floating"}
	masslesss = []string{"fold", "refuse", "mass"}
	inertias  = []string{"refuse", "balance"}
)

// add declares the flags.
func (f *flags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVarP(&f.output, "output", "o", "", `model to write, ending in .json; "-" is standard output`)
	s.StringVar(&f.base, "base", bases[0], "the root of a file that does not say so stands or floats: "+strings.Join(bases, ", "))
	s.StringVar(&f.massless, "massless", masslesss[0], "links without mass: fold, refuse, or mass=RATIO of the lightest neighbour")
	s.StringVar(&f.inertia, "inertia", inertias[0], "inertias that no body has: "+strings.Join(inertias, ", "))
	s.StringSliceVar(&f.pose, "pose", nil, "coordinates of joints, rad or m: joint=0.3,…")
	s.StringVar(&f.key, "key", "", "keyframe with the pose of the model")
	s.StringSliceVar(&f.gravity, "gravity", nil, "gravity, m/s²: x,y,z (default as in the file)")
	s.StringArrayVar(&f.packages, "package-dir", nil, "folder of a package: name=folder; may be given again")
	s.StringVar(&f.loops, "loops", "", "file beside MODEL with the pairs of frames that close loops of a URDF")
	s.Float64Var(&f.snap, "snap", source.DefaultSnap, "largest gap of a loop joint that counts as rounding and is closed, m and rad; 0: none")
	s.BoolVar(&f.close, "close", false, "close the loops and write the model in that pose")
	s.BoolVar(&f.strict, "strict", false, "refuse what would be dropped")
	s.BoolVar(&f.dropArmature, "drop-armature", false, "leave rotor inertias out")
	s.BoolVar(&f.keepFixed, "keep-fixed", false, "keep joints without freedom, in place of one body")
	s.BoolVar(&f.keepFree, "keep-free", false, "write a free joint for each floating link")
	s.BoolVar(&f.json, "json", false, "print one JSON document")
	shell.Complete(cmd, "base", bases...)
	shell.Complete(cmd, "massless", masslesss...)
	shell.Complete(cmd, "inertia", inertias...)
}

// options returns the options that the flags ask for, or an error of bad use.
func (f *flags) options() (*source.Options, error) {
	o := &source.Options{
		Key: f.key, Loops: f.loops, Strict: f.strict, Snap: f.snap, DropArmature: f.dropArmature, Within: f.close, KeepFixed: f.keepFixed, KeepFree: f.keepFree,
	}
	if f.snap == 0 {
		o.Snap = -1 // none, as 0 stands for the default
	} else if !(f.snap > 0 && f.snap < 1) {
		return nil, shell.UseErrorf("--snap %g: from 0 to 1", f.snap)
	}
	var err error
	if o.Base, err = choice[source.Base]("base", f.base, bases); err != nil {
		return nil, err
	}
	if o.Inertia, err = choice[source.Inertia]("inertia", f.inertia, inertias); err != nil {
		return nil, err
	}
	word, ratio, given := strings.Cut(f.massless, "=")
	if o.Massless, err = choice[source.Massless]("massless", word, masslesss); err != nil {
		return nil, err
	}
	if given {
		x, err := strconv.ParseFloat(ratio, 64)
		if err != nil || !(x > 0 && x < 1) || o.Massless != source.GiveMass {
			return nil, shell.UseErrorf("--massless %s: mass=RATIO has a ratio from 0 to 1", f.massless)
		}
		o.MassRatio = x
	}
	if len(f.pose) > 0 {
		o.Pose = map[string]float64{}
	}
	for _, text := range f.pose {
		name, value, _ := cutLast(text)
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !algebra.Finite(x) || name == "" {
			return nil, shell.UseErrorf("--pose %s: not of the form joint=number", fault.Name(text))
		}
		if _, twice := o.Pose[name]; twice {
			return nil, shell.UseErrorf("--pose: joint %s is given twice", fault.Name(name))
		}
		o.Pose[name] = x
	}
	if len(f.gravity) > 0 {
		o.Gravity = new([3]float64)
		if len(f.gravity) != 3 {
			return nil, shell.UseErrorf("--gravity: %d numbers in place of 3", len(f.gravity))
		}
		for k, text := range f.gravity {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || !algebra.Finite(x) {
				return nil, shell.UseErrorf("--gravity: %s is not a finite number", fault.Name(text))
			}
			o.Gravity[k] = x
		}
	}
	return o, nil
}

// choice returns the index of a word in words, or an error of bad use.
func choice[T ~uint8](flag, word string, words []string) (T, error) {
	for k, w := range words {
		if w == word {
			return T(k), nil
		}
	}
	return 0, shell.UseErrorf("--%s %s: there are %s%s", flag, fault.Name(word), strings.Join(words, ", "), fault.AfterList(fault.Meant(word, words...)))
}

// cutLast cuts a text at its last equals sign, as names may contain equals signs. It returns false if there is none.
func cutLast(text string) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// folders returns the folders of --package-dir by name.
func (f *flags) folders() (map[string]string, error) {
	list := map[string]string{}
	for _, text := range f.packages {
		name, dir, ok := strings.Cut(text, "=")
		if !ok || name == "" || dir == "" {
			return nil, shell.UseErrorf("--package-dir %s: not of the form name=folder", fault.Name(text))
		}
		if _, twice := list[name]; twice {
			return nil, shell.UseErrorf("--package-dir: package %s is given twice", fault.Name(name))
		}
		if info, err := os.Stat(dir); err != nil {
			return nil, shell.InputError(dir, err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder", fault.Line(dir))
		}
		list[name] = dir
	}
	return list, nil
}
