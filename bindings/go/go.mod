module example.com/recto/bindings/go

go 1.21
