package mjcf

import (
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
)

// Reasons in the table.
const (
	watched  = "belongs to sensors or pictures"
	contacts = "belongs to contact"
	solver   = "sets up the simulator"
	memory   = "sizes the memory of the simulator"
)

// Attributes that several elements have.
const (
	turned     = "quat axisangle euler xyaxes zaxis"
	jointUsed  = "name class type pos axis springdamper limited actuatorfrclimited range ref springref stiffness damping armature frictionloss actuatorfrcrange"
	jointRest  = "group solreflimit solimplimit solreffriction solimpfriction margin user actuatorgravcomp"
	geomUsed   = "name class type size pos fromto mass density shellinertia mesh group contype conaffinity rgba material " + turned
	geomRest   = "condim priority friction solmix solref solimp margin gap hfield fitscale fluidshape fluidcoef user surfacevel adhesion"
	equalUsed  = "name class active body1 body2 anchor site1 site2 relpose torquescale joint1 joint2 polycoef tendon1 tendon2"
	equalRest  = "solref solimp"
	tendonUsed = "name class limited range stiffness damping frictionloss armature springlength"
	driveUsed  = "name class joint jointinparent tendon gear kp kv gainprm gaintype biasprm biastype ctrllimited ctrlrange forcelimited " +
		"forcerange " + driveMore
	driveMore  = "site refsite body slidersite cranksite dyntype timeconst dampratio actdim actearly delay nsample damping armature"
	driveRest  = "group lengthrange user cranklength inheritrange dynprm actlimited actrange"
	tendonRest = "group margin solreflimit solimplimit solreffriction solimpfriction width material rgba user actuatorfrclimited actuatorfrcrange"
)

// elementRules has the treatment of the elements and attributes of the format.
var elementRules = xmltree.NewTable([]xmltree.Rule{
	{Element: "mujoco", Class: source.Used, Used: "model"},
	{Element: "include", Class: source.Used, Used: "file", Ignored: "prefix"},
	{Element: "compiler", Class: source.Used,
		Used:    "angle eulerseq inertiafromgeom inertiagrouprange boundmass boundinertia balanceinertia settotalmass autolimits strippath meshdir assetdir coordinate alignfree exactmeshinertia",
		Ignored: "texturedir discardvisual convexhull usethread fusestatic fitaabb saveinertial conflict"},
	{Element: "lengthrange", Class: source.Ignored, Why: solver},
	{Element: "option", Class: source.Used, Used: "gravity density viscosity wind",
		Ignored: "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance magnetic o_margin o_solref o_solimp o_friction " +
			"integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations sdf_iterations sdf_initpoints actuatorgroupdisable collision sleep_tolerance"},
	{Element: "flag", Class: source.Used, Used: "gravity equality constraint passive spring damper frictionloss limit",
		Ignored: "contact actuation clampctrl warmstart filterparent refsafe sensor midphase eulerdamp override energy fwdinv invdiscrete sensornoise multiccd island nativeccd autoreset sleep diagexact ipc"},
	{Element: "size", Class: source.Ignored, Why: memory},
	{Element: "statistic", Class: source.Ignored, Why: watched},
	{Element: "mujoco/visual", Class: source.Ignored, Why: watched},
	{Element: "custom", Class: source.Ignored, Why: "has no meaning for the simulator either"},
	{Element: "extension", Class: source.Ignored, Why: "plugins are programs"},
	{Element: "asset", Class: source.Used},
	{Element: "asset/mesh", Class: source.Used, Used: "name class file scale inertia refpos refquat vertex face builtin",
		Ignored: "content_type normal texcoord smoothnormal maxhullvert params material"},
	{Element: "asset/material", Class: source.Visual},
	{Element: "mesh/plugin", Class: source.Dropped, Why: "meshes that programs make are not read"},
	{Element: "asset/texture", Class: source.Ignored, Why: watched},
	{Element: "asset/hfield", Class: source.Ignored, Why: contacts},
	{Element: "asset/skin", Class: source.Ignored, Why: watched},
	{Element: "asset/model", Class: source.Ignored, Why: "nothing attaches it"},

	{Element: "default", Class: source.Used, Used: "class"},
	{Element: "default/mesh", Class: source.Used, Used: "scale inertia", Ignored: "maxhullvert"},
	{Element: "default/material", Class: source.Visual},
	{Element: "default/joint", Class: source.Used, Used: jointUsed, Ignored: jointRest},
	{Element: "default/geom", Class: source.Used, Used: geomUsed, Ignored: geomRest},
	{Element: "default/site", Class: source.Used, Used: "pos fromto " + turned, Ignored: "type group material rgba size user"},
	{Element: "default/camera", Class: source.Ignored, Why: watched},
	{Element: "default/light", Class: source.Ignored, Why: watched},
	{Element: "default/pair", Class: source.Ignored, Why: contacts},
	{Element: "default/equality", Class: source.Used, Used: equalUsed, Ignored: equalRest},
	{Element: "default/tendon", Class: source.Used, Used: tendonUsed, Ignored: tendonRest},
	{Element: "default/general", Class: source.Ignored, Why: controlled, Used: driveUsed, Ignored: driveRest},
	{Element: "default/motor", Class: source.Ignored, Why: controlled, Used: driveUsed, Ignored: driveRest},
	{Element: "default/position", Class: source.Ignored, Why: controlled, Used: driveUsed, Ignored: driveRest},
	{Element: "default/velocity", Class: source.Ignored, Why: controlled, Used: driveUsed, Ignored: driveRest},
	{Element: "default/intvelocity", Class: source.Ignored, Why: controlled},
	{Element: "default/damper", Class: source.Ignored, Why: controlled},
	{Element: "default/cylinder", Class: source.Ignored, Why: controlled},
	{Element: "default/muscle", Class: source.Ignored, Why: controlled},
	{Element: "default/adhesion", Class: source.Ignored, Why: controlled},
	{Element: "default/orientation", Class: source.Ignored, Why: controlled},
	{Element: "default/pid", Class: source.Ignored, Why: controlled},
	{Element: "default/dcmotor", Class: source.Ignored, Why: controlled},

	{Element: "worldbody", Class: source.Used, Used: "childclass", Ignored: "name"},
	{Element: "body", Class: source.Used, Used: "name childclass pos mocap gravcomp " + turned, Ignored: "user sleep simple"},
	{Element: "frame", Class: source.Used, Used: "childclass pos " + turned, Ignored: "name"},
	{Element: "inertial", Class: source.Used, Used: "pos mass diaginertia fullinertia " + turned},
	{Element: "joint", Class: source.Used, Used: jointUsed, Ignored: jointRest},
	{Element: "freejoint", Class: source.Used, Used: "name", Ignored: "group align"},
	{Element: "geom", Class: source.Used, Used: geomUsed, Ignored: geomRest},
	{Element: "geom/plugin", Class: source.Ignored, Why: contacts},
	{Element: "site", Class: source.Used, Used: "name class pos fromto " + turned, Ignored: "type group material rgba size user"},
	{Element: "camera", Class: source.Ignored, Why: watched},
	{Element: "light", Class: source.Ignored, Why: watched},
	{Element: "composite", Class: source.Used},
	{Element: "flexcomp", Class: source.Used},
	{Element: "replicate", Class: source.Used},
	{Element: "attach", Class: source.Used},
	{Element: "body/plugin", Class: source.Used},

	{Element: "equality", Class: source.Used},
	{Element: "connect", Class: source.Used, Used: "name class active body1 body2 anchor site1 site2", Ignored: equalRest},
	{Element: "weld", Class: source.Used, Used: "name class active body1 body2 relpose anchor torquescale site1 site2", Ignored: equalRest},
	{Element: "equality/joint", Class: source.Used, Used: "name class active joint1 joint2 polycoef", Ignored: equalRest},
	{Element: "equality/tendon", Class: source.Used, Used: "name class active tendon1 tendon2 polycoef", Ignored: equalRest},
	{Element: "distance", Class: source.Used},
	{Element: "equality/flex", Class: source.Used},
	{Element: "flexvert", Class: source.Used},
	{Element: "flexstrain", Class: source.Used},
	{Element: "tendon", Class: source.Used},
	{Element: "tendon/fixed", Class: source.Used, Used: tendonUsed, Ignored: tendonRest},
	{Element: "fixed/joint", Class: source.Used, Used: "joint coef"},
	{Element: "tendon/spatial", Class: source.Used, Used: tendonUsed, Ignored: tendonRest},
	{Element: "spatial/site", Class: source.Ignored, Used: "site", Why: "a path alone, which nothing pulls"},
	{Element: "spatial/geom", Class: source.Ignored, Why: "a path alone, which nothing pulls"},
	{Element: "pulley", Class: source.Ignored, Why: "a path alone, which nothing pulls"},
	{Element: "deformable", Class: source.Used},
	{Element: "deformable/flex", Class: source.Used},
	{Element: "deformable/skin", Class: source.Ignored, Why: watched},

	{Element: "contact", Class: source.Ignored, Why: contacts},
	{Element: "actuator", Class: source.Used},
	{Element: "actuator/motor", Class: source.Used, Used: driveUsed, Ignored: driveRest},
	{Element: "actuator/position", Class: source.Used, Used: driveUsed, Ignored: driveRest},
	{Element: "actuator/velocity", Class: source.Used, Used: driveUsed, Ignored: driveRest},
	{Element: "actuator/general", Class: source.Used, Used: driveUsed, Ignored: driveRest},
	{Element: "sensor", Class: source.Ignored, Why: watched},
	{Element: "keyframe", Class: source.Used},
	{Element: "key", Class: source.Used, Used: "name qpos qvel", Ignored: "time act ctrl mpos mquat"},
})

const controlled = "the value that controls it is not in the file"
