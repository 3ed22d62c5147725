module ttdiag.bench

go 1.26.0

require (
	github.com/duckdb/duckdb-go/v2 v2.10506.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/duckdb/duckdb-go-bindings v0.10506.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/linux-amd64 v0.10506.0 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
)
