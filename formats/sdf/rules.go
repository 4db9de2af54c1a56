package sdf

import (
	"strings"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
)

const solver = "settings of another solver"

// rules has the treatment of each element of the format.
var rules = func() []xmltree.Rule {
	list := []xmltree.Rule{
		{Element: "sdf", Used: "version"},
		{Element: "world", Used: "name"},
		{Element: "model", Used: "name canonical_link placement_frame"},
		{Element: "link", Used: "name"},
		{Element: "joint", Used: "name type"},
		{Element: "frame", Used: "name attached_to"},
		{Element: "pose", Used: "relative_to rotation_format degrees frame"},
		{Element: "inertial", Used: "auto"},
		{Element: "xyz", Used: "expressed_in"},
		{Element: "mimic", Used: "joint axis"},
		{Element: drakeJoint, Used: "name type"},
		{Element: "drake:mimic", Used: "joint multiplier offset"},
		{Element: drakeTendon + "_joint", Used: "name a"},
		{Element: "include", Used: "merge placement_frame"},
		{Element: "physics", Class: source.Ignored, Why: solver, Ignored: "name type default"},
		{Element: "plugin", Class: source.Ignored, Why: "plugins are programs"},
	}
	for _, c := range []struct {
		class source.Class
		why   string
		names string
	}{
		{source.Used, "", `inertia mass ixx iyy izz ixy ixz iyz density gravity enable_gravity static uri parent child axis axis2 dynamics damping friction
			spring_reference spring_stiffness limit lower upper effort velocity screw_thread_pitch thread_pitch gearbox_ratio gearbox_reference_body
			use_parent_model_frame multiplier offset reference kinematic must_be_base_link velocity_decay velocity_decay/linear velocity_decay/angular include/name
			auto_inertia_params`},
		{source.Used, "", `drake:parent drake:child drake:damping drake:rotor_inertia drake:gear_ratio
			drake:ball_constraint drake:ball_constraint_body_A drake:ball_constraint_body_B drake:ball_constraint_p_AP drake:ball_constraint_p_BQ
			drake:linear_spring_damper drake:linear_spring_damper_body_A drake:linear_spring_damper_body_B drake:linear_spring_damper_p_AP
			drake:linear_spring_damper_p_BQ drake:linear_spring_damper_free_length drake:linear_spring_damper_stiffness
			drake:linear_spring_damper_damping
			drake:tendon_constraint drake:tendon_constraint_offset drake:tendon_constraint_lower_limit drake:tendon_constraint_upper_limit
			drake:tendon_constraint_stiffness drake:tendon_constraint_damping`},
		{source.Dropped, "bushings of Drake have other laws than those of the model", "drake:linear_bushing_rpy"},
		{source.Ignored, "belongs to the control of the robot", "drake:controller_gains drake:acceleration"},
		{source.Ignored, "belongs to contact", "drake:collision_filter_group"},
		{source.Visual, "shapes", "visual collision"},
		{source.Ignored, "sensors do not act", "sensor"},
		{source.Ignored, "lights and pictures", "light light_state material scene audio_sink audio_source projector particle_emitter gui actor road heightmap audio"},
		{source.Ignored, solver, `atmosphere magnetic_field spherical_coordinates stiffness dissipation provide_feedback joint/physics self_collide
			allow_auto_disable battery`},
		{source.Ignored, "wind", "enable_wind wind"},
		{source.Dropped, "a saved state of the world is not read", "state"},
		{source.Dropped, "models that the simulator strews are not read", "population"},
		{source.Dropped, "simulators differ in what they make of it; --pose puts the joint there", "initial_position"},
		{source.Dropped, "grippers are not read", "gripper"},
		{source.Dropped, "added mass of a fluid is not read", "fluid_added_mass"},
	} {
		for _, name := range strings.Fields(c.names) {
			list = append(list, xmltree.Rule{Element: name, Class: c.class, Why: c.why})
		}
	}
	for i := range list {
		if list[i].Class == source.Unread {
			list[i].Class = source.Used
		}
	}
	return list
}()

// table is the table of the rules, for xmltree.Account.
var table = xmltree.NewTable(rules)
