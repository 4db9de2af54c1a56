module github.com/rung-mbd/rung/bench/peers

go 1.26
