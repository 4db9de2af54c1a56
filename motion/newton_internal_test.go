package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// sprungLadder is a planar ladder with a spring in every hinge and one across every second pair of
// neighbouring bodies.
func sprungLadder(t *testing.T, n int) *model.Model {
	t.Helper()
	m, err := bench.Generate("nfourbar", n, 1)
	require.NoError(t, err)
	for j := range m.Joints {
		jt := &m.Joints[j]
		jt.Stiffness = make([]float64, jt.Type.Freedoms())
		for i := range jt.Stiffness {
			if jt.Type.Scalar(i) {
				jt.Stiffness[i] = 1
			}
		}
	}
	for i := 0; i+1 < len(m.Bodies); i += 2 {
		m.Forces = append(m.Forces, model.ForceElement{
			Name: m.Bodies[i].Name + "-spring", Type: model.SpringDamper,
			A: model.Attachment{Body: m.Bodies[i+1].Name}, B: model.Attachment{Body: m.Bodies[i].Name}, Stiffness: 1e4, RestLength: 1,
		})
	}
	return m
}

// TestCompliantOrders: springs are joints to the orderings, whose rule they obey, and the
// work grows like the mechanism.
func TestCompliantOrders(t *testing.T) {
	var flops []float64
	for _, n := range []int{50, 200} {
		p, err := newPlan(sprungLadder(t, n), kkt.Options{})
		require.NoError(t, err)
		rows := compliances(p.Mechanism())
		require.Greater(t, len(rows), n)
		q := withSlacks(p.Layout().Pattern, []slackRows{&springRows{rows: rows}})
		require.Equal(t, p.Layout().Pattern.Dim()+2*len(rows), q.Dim())
		for _, o := range []order.Ordering{order.Natural, order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection} {
			require.NoError(t, order.CheckTileRule(q, order.Of(q, o)), o)
		}
		_, _, tried := factor.Choose(q, order.Auto, 1)
		least := tried[0].Counts.Flops
		for _, c := range tried {
			least = min(least, c.Counts.Flops)
		}
		flops = append(flops, float64(least))
	}
	require.Less(t, flops[1]/flops[0], 4.5)
}

// TestNewtonNames names every node.
func TestNewtonNames(t *testing.T) {
	p, err := newPlan(sprungLadder(t, 2), kkt.Options{})
	require.NoError(t, err)
	n := NewNewton(p)
	l, nb := p.Layout(), p.Mechanism().NumBodies()
	for node := range n.fac.Matrix.Pattern.Len() {
		at := n.at(node, -1, kkt.ErrInaccurate)
		switch joint := node - n.gap; {
		case node < nb:
			require.Equal(t, l.At(node, -1, kkt.ErrInaccurate), at)
		case joint >= nb && joint < l.Pattern.Len():
			require.Equal(t, l.At(joint, -1, kkt.ErrInaccurate), at)
		default:
			require.NotEmpty(t, at.Force+at.Joint)
		}
	}
	require.Equal(t, n.at(nb, -1, nil), n.at(n.fac.Matrix.Pattern.Len()-n.gap, -1, nil), "slack and row")
}
