module example.com/recto/bindings/go/internal/leaks

go 1.21

require (
	example.com/recto/bindings/go v0.0.0
	go.uber.org/goleak v1.3.0
)

replace example.com/recto/bindings/go => ../..
