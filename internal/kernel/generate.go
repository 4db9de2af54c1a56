package kernel

//go:generate sh -c "cd ../avo && go run . -set kernel -pkg kernel -out ../kernel/kernels_amd64.s -stubs ../kernel/kernels_amd64.go -layout ../kernel/layout_amd64.go"
