package kernel

//go:generate sh -c "cd avo && go run . -out kernels_amd64.s.new -stubs kernels_amd64.go.new -pkg kernel && mv kernels_amd64.s.new ../kernels_amd64.s && mv kernels_amd64.go.new ../kernels_amd64.go"
