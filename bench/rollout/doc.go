// Command rollout steps many states of a model together by package batch, for bench/peers, which compares it with MuJoCo.
//
//	rollout MODEL INTEGRATOR STEP TIME THREADS
//
// INTEGRATOR is RK4 or semi-implicit. It prints the least time of a step of one state, the positions of the bodies'
// frames and the largest violation of a joint at TIME, as JSON.
package main
