package source

import (
	"github.com/rung-mbd/rung/model"
)

// Closed is the largest residual, m or rad, of a loop that counts as closed.
const Closed = 1e-9

// Result is the model of a file, with the relation of its links and coordinates to the file's.
type Result struct {
	Model *model.Model
	// Links has the place of each link in the model, in the order of the file.
	Links []Where
	// Coordinates has the named coordinates of the file, in its order, if they are freedoms
	// of the model.
	Coordinates []Coordinate
	// Linear and Angular are the largest errors of loop joints in the model's pose, m and rad, and Worst is the name of the worst joint.
	Linear, Angular float64
	Worst           string
}

// Coordinate is a coordinate of the file: Sign times the coordinate of a freedom of the model.
type Coordinate struct {
	Name    string
	Joint   int // index in Model.Joints
	Freedom int
	Sign    float64 // 1 or −1
}

// Where is the place of a link: in a body, in the world, or nowhere.
type Where struct {
	Link string
	Body string     // model.World for the world; "" if the link was folded away
	Pose model.Pose // of the link in the body
}
