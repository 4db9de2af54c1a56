// Package taskfile reads and writes tasks of inverse kinematics as documents of rung-ik/1, which the command rung ik takes.
//
//	task, err := taskfile.Open("reach.json") // and the waypoints in a file that it names
//	err = taskfile.Write(os.Stdout, task)    // defaults left out
//
// [Read] and [ReadIn] take a document from elsewhere. What is wrong with one is a *model.Problems, all rules at once, each with its
// JSON path. A task that could be read in part comes beside it: ik.NewProblem tells these problems with its own.
//
// [Schema] is the JSON Schema of the documents, [ResultSchema] the one of results, which encoding/json writes (ik.Result).
//
// Cost: O(bytes of the document). The functions may be called at the same time.
//
// The format is described in [cli.md]. Units: SI, radians.
//
// [cli.md]: https://github.com/rung-mbd/rung/blob/main/docs/cli.md#rung-ik
package taskfile
