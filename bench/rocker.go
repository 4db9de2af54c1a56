package bench

import "github.com/rung-mbd/rung/model"

// rockerTyre is the wheel of a RockerBogie.
var rockerTyre = tyre{
	mass: 1.5, radius: 0.16, width: 0.14, stiffness: 2e4, chi: 0.5, friction: 0.8, slip: 1e-2, speed: 0.5, gain: 20, strong: 20,
}

const (
	bellyMass, rockerMass, bogieMass = 40.0, 4.0, 3.0 // kg
	beamMass, linkMass               = 1.0, 0.2       // kg
	rockerBase, rockerTrack          = 0.55, 1.1      // m, between two wheels along x, and along y
	rockerApart                      = 2.6            // m, from vehicle to vehicle
)

// RockerBogie is a row of n vehicles on drawbars with six driven wheels each, that drive over hills. On each side a
// rocker turns on the chassis; it has the front wheel and a bogie with the other two. A beam that turns about z on the
// chassis holds the upper ends of the rockers by two links, so that the pitch of the chassis is the mean of the rockers'. This closes
// a loop on each side. Vehicle k has the bodies "chassisk", "beamk", and on the sides l and r "rockerlk", "bogielk", "linklk",
// "wheellk_0" (the front wheel), "wheellk_1", "wheellk_2".
//
// 15n − 1 bodies, 2n loops, no redundant rows. The state is at rest near equilibrium.
//
// Cost: O(n).
// It returns ErrSize.
func RockerBogie(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("rocker-bogie", n)
	if err != nil {
		return nil, err
	}
	v, err := newVehicle("rocker-bogie", n, seed, nb, nb-1+2*n, 6*n)
	if err != nil {
		return nil, err
	}
	for k := range n {
		v.rocker(k)
	}
	return v.m, nil
}

// rocker appends vehicle k.
func (v *vehicle) rocker(k int) {
	t := &rockerTyre
	up := (bellyMass+beamMass)/2 + linkMass + rockerMass // kg, carried by a rocker with its own mass
	load := (up+bogieMass)/3 + t.mass                    // kg, of each wheel
	z := t.radius - load*Gravity/t.stiffness
	mid := -rockerBase - 0.3 - rockerApart*float64(k) // x of the middle wheels
	// The pivot of the rocker is placed so that all three wheels carry the same.
	bogie := mid - rockerBase/2
	pivot := bogie + (load-t.mass)/up*(rockerBase*3/2)
	high, top := z+0.35, z+0.6
	// The beam is 0.25 m behind the pivots. The centre of mass of the chassis is before the pivots, so that it balances the beam and
	// the beam's half of the links.
	com := 0.25 * (beamMass + linkMass) / bellyMass
	chassis := v.body(v.name("chassis", k), box(bellyMass, vec{0.9, 0.6, 0.3}, vec{com}), at(vec{pivot, 0, high}), twist{})
	beam := v.body(v.name("beam", k), box(beamMass, vec{0.05, rockerTrack, 0.05}, vec{}), at(vec{pivot - 0.25, 0, top}), twist{})
	v.fit(v.name("yaw", k), model.Revolute, chassis, beam, at(vec{pivot - 0.25, 0, top}), at(vec{pivot - 0.25, 0, top}))
	for s, side := range [2]string{"l", "r"} {
		y := rockerTrack / 2 * float64(1-2*s)
		p := place{vec{pivot, y, high}, alongY}
		rocker := v.body(v.name("rocker"+side, k), box(rockerMass, vec{0.8, 0.06, 0.3}, vec{}), at(p.p), twist{})
		v.fit(v.name("pivot"+side, k), model.Revolute, chassis, rocker, p, p)
		q := place{vec{bogie, y, z + 0.1}, alongY}
		arm := v.body(v.name("bogie"+side, k), box(bogieMass, vec{rockerBase, 0.06, 0.1}, vec{}), at(q.p), twist{})
		v.fit(v.name("bogiepivot"+side, k), model.Revolute, rocker, arm, q, q)
		v.wheel(v.name2("wheel"+side, k, 0), rocker, vec{mid + rockerBase, y, z}, t)
		v.wheel(v.name2("wheel"+side, k, 1), arm, vec{mid, y, z}, t)
		v.wheel(v.name2("wheel"+side, k, 2), arm, vec{mid - rockerBase, y, z}, t)
		// The link goes from the end of the beam to the upper end of the rocker, which is above its pivot.
		a, b := vec{pivot - 0.25, y, top}, vec{pivot, y, top}
		g := rod(0.25)
		g.mass, g.inertia = linkMass, model.Inertia{XX: 1e-4 * linkMass, YY: linkMass * g.inertia.YY, ZZ: linkMass * g.inertia.ZZ}
		link := v.body(v.name("link"+side, k), g, at(a), twist{})
		v.fit(v.name("universal"+side, k), model.Universal, beam, link, place{a, tongue}, place{a, tongue})
		v.fit(v.name("ball"+side, k), model.Spherical, link, rocker, at(b), at(b))
	}
	if k > 0 {
		v.bar(k, chassis, v.before, vec{pivot + 0.5, 0, high}, vec{pivot + rockerApart - 0.5, 0, high}, drawbarMass)
	}
	v.before = chassis
}
