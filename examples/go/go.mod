module compress

go 1.21

require example.com/recto/bindings/go v0.0.0

replace example.com/recto/bindings/go => ../../bindings/go
