// Package tree holds the spanning-tree methods of RBDA chapters 4 to 8 on the
// mechanisms of package mechanism: the tree and its joint variables, inverse
// dynamics, the joint-space inertia matrix with its branch-sparse factors, and
// articulated-body forward dynamics.
//
// # Tree
//
// [NewPlan] chooses the tree by Kruskal's rule: joints are taken by increasing
// number of freedoms, then by number, and a joint that would close a loop is
// left out, so that the loops are closed by the joints with few constraint
// rows. The world is the root. Joints of the types point_on_plane, distance,
// rolling, no_slip, point_on_curve, curve_on_curve and free are never in the tree. A part without a tree joint to the world hangs
// from it by a floating base, a joint of type free from the world's frame to
// the frame of one body. Links are the bodies in preorder, so that Parent(i) < i
// and a subtree is an interval.
//
// # Joint variables
//
// The entries of q̇ of a link are the rates of its joint's freedoms in the sense
// and order of rung-model/1, successor relative to predecessor, also where the
// successor is the parent ([Link.Reversed]); S then has the opposite sign, and a
// generalized force keeps its meaning. Ball rotations have the components of the
// relative angular velocity in P's axes, a floating base the angular velocity
// and the velocity of its body frame's origin in world axes. The entries of q
// are the scalar coordinates, angles with all their turns, with a unit
// quaternion (w first, from S to P) for a ball, and a quaternion and the
// position of the body frame for a floating base.
//
// # Coordinates of computation
//
// World axes with each link's own centre of mass as reference point; neighbours
// are related by pure shifts. Only vectors between a joint and the centres of
// mass at it enter, so nothing depends on the distance from the world's origin
// (RBDA §8.7). Accelerations are classical: ω̇ and the second derivative of the
// position of the centre of mass. With them the equation of a link is
//
//	diag(I, m·1)·a = f,
//
// where f holds the gyroscopic moment −ω×Iω and all loads; it takes the place of
// I·a + v×*I·v in the book's tables, whose accelerations are spatial. What the
// tables add as S̊q̇ + v×Sq̇ is here the term c of kinematics.go.
//
// The equation of motion is H·q̈ + C = τ, with all loads of the mechanism
// (gravity, force elements, joint drives) in C and the caller's forces in τ.
//
// # Use
//
//	p, err := tree.NewPlan(mech, tree.Options{})
//	if err != nil {
//		return err
//	}
//	w := p.NewWorkspace()
//	if err := w.SetState(mech.Initial()); err != nil {
//		return err
//	}
//	qdd := make([]float64, p.NumDof())
//	w.ForwardTo(qdd, nil)
package tree
