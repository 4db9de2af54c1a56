// Command service answers requests about mechanisms over HTTP within limits: the size of documents, the work and the time of a
// request are bounded, and the computation ends when the client goes away. Without an argument it sends requests to itself; with
// one, such as localhost:8080, it listens there.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/sim"
)

// The limits of a request.
const (
	maxBytes = 200 << 10        // in a document
	maxFlops = 500_000          // in a factorization
	maxTime  = 10 * time.Second // wall time of a simulation
	longest  = 3600.0           // s, model time of a simulation
)

// plan reads and analyses the document of a request. If the request is refused, plan writes the answer and returns nil.
func plan(w http.ResponseWriter, r *http.Request) (*model.Model, *rung.Plan) {
	m, err := model.Read(http.MaxBytesReader(w, r.Body, maxBytes), "request")
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, fmt.Sprintf("a document may have %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		return nil, nil
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil, nil
	}
	p, err := rung.NewPlanContext(r.Context(), m, rung.Options{MaxFlops: maxFlops})
	var tooDear *factor.CostError
	switch {
	case errors.As(err, &tooDear): // found before memory for a factor is allocated
		http.Error(w, fmt.Sprintf("a solution takes %d flops, of which %d are allowed", tooDear.Counts.Flops, tooDear.Limits.Flops), http.StatusUnprocessableEntity)
		return nil, nil
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil, nil
	}
	return m, p
}

// accelerations answers with the document of rung accel --json.
func accelerations(w http.ResponseWriter, r *http.Request) {
	_, p := plan(w, r)
	if p == nil {
		return
	}
	solver := p.NewSolver()
	defer solver.Watch(r.Context())() // ends a solution when the client goes away
	if err := solver.Solve(p.Initial()); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	result, err := results.New(solver)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(result); err != nil {
		log.Print(err)
	}
}

// simulate answers with the model after an hour of motion.
func simulate(w http.ResponseWriter, r *http.Request) {
	m, p := plan(w, r)
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxTime)
	defer cancel()
	d := motion.NewDynamics(p)
	method := sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{})
	s := sim.New(p.Mechanism(), method, p.Initial(), sim.Options{Projector: d})
	switch err := s.RunContext(ctx, longest); {
	case errors.Is(err, context.Canceled):
		fmt.Println("  nobody waits for it any more: ended")
		return
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, fmt.Sprintf("%v are not enough for it", maxTime), http.StatusServiceUnavailable)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	rung.SetState(m, p.Mechanism(), s.State())
	w.Header().Set("Content-Type", "application/json")
	if err := model.Write(w, m); err != nil {
		log.Print(err)
	}
}

// service returns the handler of both kinds of requests.
func service() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accelerations", accelerations)
	mux.HandleFunc("POST /simulate", simulate)
	return mux
}

// ask sends a document to a path of the service and prints a title and the answer.
func ask(ctx context.Context, title, path string, document []byte) {
	fmt.Printf("%s:\n", title)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, bytes.NewReader(document))
	w := httptest.NewRecorder()
	service().ServeHTTP(w, r)
	var result rung.Result
	switch {
	case ctx.Err() != nil:
	case w.Code != http.StatusOK:
		fmt.Printf("  %d: %s", w.Code, w.Body)
	case json.Unmarshal(w.Body.Bytes(), &result) == nil:
		fmt.Printf("  200: mobility %d\n", result.Constraints.Mobility)
	}
}

// document returns the document of a model, or ends the process if err, the error of making the model, is not nil.
func document(m *model.Model, err error) []byte {
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := model.Write(&b, m); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}

// main serves at the address of its argument, or, without one, sends five requests to the service, some of which are refused.
func main() {
	if len(os.Args) > 1 {
		log.Fatal(http.ListenAndServe(os.Args[1], service()))
	}
	ctx := context.Background()
	ask(ctx, "a ladder of 40 bodies", "/accelerations", document(bench.Ladder(40, 1)))
	ask(ctx, "a ladder of 2000 bodies", "/accelerations", document(bench.Ladder(2000, 1)))
	ask(ctx, "a net of 144 bodies", "/accelerations", document(bench.BallNet(12, 1)))
	ask(ctx, "a body without mass", "/accelerations", []byte(`{"format": "rung-model/1", "bodies": [{"name": "a"}]}`))
	gone, leave := context.WithCancel(ctx)
	time.AfterFunc(100*time.Millisecond, leave)
	ask(gone, "an hour of a ladder of 40 bodies, and who asks goes away", "/simulate", document(bench.Ladder(40, 1)))
}
