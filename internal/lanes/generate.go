package lanes

//go:generate sh -c "cd ../avo && go run . -set lanes -pkg lanes -out ../lanes/kernels_amd64.s -stubs ../lanes/kernels_amd64.go -layout ../lanes/layout_amd64.go"
