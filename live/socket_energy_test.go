package live_test

import (
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/live"
)

// TestEnergyBySocket: what a page is told over RUNG_PLAY seconds. The families of the gallery that lose nothing keep their energy to
// one part in a hundred, of the energy or of the largest kinetic energy, or the page has the note that lasts. TestEnergy holds the others, without a
// clock.
//
//	RUNG_PLAY=10 go test -run TestEnergyBySocket -v ./live
func TestEnergyBySocket(t *testing.T) {
	seconds, _ := strconv.ParseFloat(os.Getenv("RUNG_PLAY"), 64)
	if !(seconds > 0) {
		t.Skip("takes its seconds for each family, by RUNG_PLAY=seconds")
	}
	const kept = 1e-2
	for _, c := range []struct {
		family string
		n      int
	}{{"scissor", 20}, {"scissor", 8}, {"hoberman", 10}, {"hoberman-sphere", 3}, {"ladder", 12}, {"jansen", 3}, {"miura", 5}, {"delta", 1}, {"excavator", 1}, {"tracked", 6}} {
		t.Run(c.family+" "+strconv.Itoa(c.n), func(t *testing.T) {
			p := newPlay(t, generate(t, c.family, c.n), live.Options{})
			x := p.dial()
			first := x.until(func(*status) bool { return true })
			worst, most, last := 0.0, 0.0, first
			for begun := first.Time; last.Time < begun+seconds && last.Failure == ""; {
				_, s := x.next()
				if s == nil {
					continue
				}
				last, most = s, max(most, s.Kinetic)
				worst = max(worst, math.Abs(s.Energy-first.Energy)/max(most, math.Abs(first.Energy)))
			}
			t.Logf("%.6g J, %.6g J at %.3g s, worst %.2g; damped %d, lost %.3g J, passed %d", first.Energy, last.Energy, last.Time, worst, last.DampedAll, last.Lost, last.Passed)
			require.Empty(t, last.Failure)
			switch c.family {
			case "miura", "delta", "excavator", "jansen", "tracked": // dampers, drives and contacts
			default:
				assert.True(t, worst < kept || last.DampedAll > 0, "lost without a note")
			}
		})
	}
}
