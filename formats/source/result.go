package source

import (
	"github.com/rung-mbd/rung/model"
)

// Closed is the residual, m or rad, up to which a loop of a file counts as closed.
const Closed = 1e-9

// Result is the model of a file, with what became of its links and coordinates.
type Result struct {
	Model *model.Model
	// Links says where each link went, in the order of the file.
	Links []Where
	// Coordinates says what became of the coordinates of the file that have names, in its order. Those that no freedom
	// of the model has are left out.
	Coordinates []Coordinate
	// Linear and Angular are the largest errors of loop joints at the model's pose, m and rad, and Worst is that joint.
	Linear, Angular float64
	Worst           string
}

// Coordinate is a coordinate of the file: Sign times that of a freedom of a joint of the model.
type Coordinate struct {
	Name    string
	Joint   int
	Freedom int
	Sign    float64
}

// Where is the place of a link: in a body, in the world, or nowhere.
type Where struct {
	Link string
	Body string     // model.World for the world; "" if the link was folded away
	Pose model.Pose // of the link in that body
}
