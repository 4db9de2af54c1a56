package lanes

//go:generate go run ../tape/gen -set lanes
//go:generate sh -c "cd ../avo && go run . -set pin -pkg lanes -out ../lanes/pin_amd64.s -stubs ../lanes/pin_amd64.go -layout ../lanes/pin_layout_amd64.go"
