package motion

import (
	"context"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// newPlan is rung.NewPlan, which imports this package.
func newPlan(m *model.Model, o kkt.Options) (*kkt.Plan, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, err
	}
	return kkt.NewPlanContext(context.Background(), mech, o)
}
