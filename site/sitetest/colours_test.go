package sitetest

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// least is the contrast that text needs (WCAG 2.1, 1.4.3, level AA); of bars of charts, which are no text, leastOfGraphics (1.4.11).
const least, leastOfGraphics = 4.5, 3.0

// pairs are the colours of the theme that stand on each other.
var pairs = []struct {
	on    string
	these string
	least float64
}{
	{"back", "fore soft accent note", least},
	{"card", "fore soft", least},
	{"code", "fore soft accent key text number note", least},
	{"mark", "fore soft", least},
	{"accent", "on", least},
	{"back", "second accent", leastOfGraphics},
}

var (
	block    = regexp.MustCompile(`(?s)(:root[^{]*)\{([^}]*)\}`)
	variable = regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6});`)
)

// themes reads the colours of each theme from the style sheet: light, dark by the system, dark by choice.
func themes(css string) (list []map[string]string) {
	for _, m := range block.FindAllStringSubmatch(css, -1) {
		colours := map[string]string{}
		for _, v := range variable.FindAllStringSubmatch(m[2], -1) {
			colours[v[1]] = v[2]
		}
		list = append(list, colours)
	}
	return list
}

// luminance is the relative luminance of a colour #rrggbb (WCAG 2.1).
func luminance(colour string) (float64, error) {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0, err
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum, nil
}

// contrast is the ratio of two colours' luminances, from 1 to 21.
func contrast(a, b string) (float64, error) {
	la, err := luminance(a)
	if err != nil {
		return 0, err
	}
	lb, err := luminance(b)
	if err != nil {
		return 0, err
	}
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05), nil
}

// weak lists the pairs of a theme whose contrast is too small.
func weak(colours map[string]string) (list []string) {
	for _, p := range pairs {
		for _, name := range strings.Fields(p.these) {
			if colours[name] == "" || colours[p.on] == "" {
				list = append(list, fmt.Sprintf("no colour %s or %s", name, p.on))
				continue
			}
			c, err := contrast(colours[name], colours[p.on])
			if err != nil || c < p.least {
				list = append(list, fmt.Sprintf("%s on %s: %.2f, less than %g (%v)", name, p.on, c, p.least, err))
			}
		}
	}
	return list
}

// TestColours: colours of the theme that stand on each other have the contrast of level AA, and both ways into the dark have the same.
func TestColours(t *testing.T) {
	css, err := os.ReadFile("../theme/static/site.css")
	if err != nil {
		t.Fatal(err)
	}
	list := themes(string(css))
	if len(list) != 3 {
		t.Fatalf("%d blocks of colours in site.css, want 3", len(list))
	}
	for i, colours := range list {
		for _, what := range weak(colours) {
			t.Errorf("theme %d: %s", i, what)
		}
		if len(colours) != len(list[0]) {
			t.Errorf("theme %d has %d colours, the first %d", i, len(colours), len(list[0]))
		}
	}
	if fmt.Sprint(list[1]) != fmt.Sprint(list[2]) {
		t.Errorf("the dark theme of the system and that of choice differ:\n%v\n%v", list[1], list[2])
	}
}

// TestContrast holds the formula to the values of WCAG's own examples, and a theme that is too weak is seen.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#ffffff", "#ffffff", 1}} {
		if got, err := contrast(c.a, c.b); err != nil || math.Abs(got-c.want) > 0.005 {
			t.Errorf("%s on %s: %g, %v, want %g", c.a, c.b, got, err, c.want)
		}
	}
	grey := themes(":root { --back: #ffffff; --fore: #777777; --soft: #000000; --accent: #000000; --note: #000000; }")
	if got := weak(grey[0]); !strings.HasPrefix(got[0], "fore on back: 4.48") {
		t.Errorf("a grey that is too light is not seen: %q", got)
	}
}
