// Bench measures the cost of a small call of the Go module beside the same call of the C interface, one at a time and
// 64 at once, and blocking calls beside the tasks of the C interface. scripts/bindings bench go starts it.
//
// The server is another process, so that its work is not measured. Each row is the median of many short rounds, which
// alternate, because the speed of a machine varies.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	recto "example.com/recto/bindings/go"
)

const (
	rounds = 41
	calls  = 200
	atOnce = 64
	each   = 8
)

func main() {
	if len(os.Args) > 1 {
		serve()
		return
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	file := []byte(`{"id":"f1","createdAt":"2024-05-06T07:08:09.123Z","origin":"fromLocal","name":"a.pdf","extension":"pdf"}`)
	started := []byte(`{"operationId":"o1","operationType":"optimize","operationStatus":"inProgress"}`)
	err = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := file
		if r.Method == http.MethodPost {
			body = started
		}
		_, _ = w.Write(body)
	}))
	panic(err)
}

// way is a way to make calls.
type way struct {
	name  string
	calls int
	run   func() error
	cpu   []float64
	rate  []float64
}

func measure() error {
	server := exec.Command(os.Args[0], "serve")
	output, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return err
	}
	url = strings.TrimSpace(url)
	inC, err := connectNative(url)
	if err != nil {
		return err
	}
	defer inC.close()
	client, err := recto.NewClient(recto.WithBaseURL(url), recto.WithAPIKey("key"))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	file := func(ctx context.Context) func() error {
		return func() error {
			_, err := client.File(ctx, "f1")
			return err
		}
	}
	start := func() error {
		operation, err := client.Optimize(ctx, recto.FileID("f1"), recto.OptimizeOptions{})
		if err != nil {
			return err
		}
		return operation.Close()
	}
	for _, ways := range [][]*way{
		{
			{name: "recto_file_get, in C", calls: calls, run: func() error { return inC.files(calls) }},
			{name: "Client.File, context.Background()", calls: calls, run: repeat(calls, file(context.Background()))},
			{name: "Client.File, a context that can be cancelled", calls: calls, run: repeat(calls, file(ctx))},
		},
		{
			{name: "64 at once: recto_file_get, threads in C", calls: atOnce * each, run: inC.filesAtOnce},
			{name: "64 at once: Client.File, goroutines", calls: atOnce * each, run: parallel(file(ctx))},
		},
		{
			{name: "64 at once: Client.Optimize, goroutines that block", calls: atOnce * each, run: parallel(start)},
			{name: "64 at once: recto_background_start, goroutines and descriptors", calls: atOnce * each, run: parallel(inC.startInTask)},
		},
	} {
		if err := compare(ways); err != nil {
			return err
		}
	}
	return nil
}

func repeat(count int, call func() error) func() error {
	return func() error {
		for at := 0; at < count; at++ {
			if err := call(); err != nil {
				return err
			}
		}
		return nil
	}
}

func parallel(call func() error) func() error {
	return func() error {
		var running sync.WaitGroup
		failed := make(chan error, atOnce)
		for at := 0; at < atOnce; at++ {
			running.Add(1)
			go func() {
				defer running.Done()
				failed <- repeat(each, call)()
			}()
		}
		running.Wait()
		close(failed)
		for err := range failed {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func compare(ways []*way) error {
	for round := -1; round < rounds; round++ {
		for _, way := range ways {
			cpu, began := used(), time.Now()
			if err := way.run(); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if round >= 0 {
				way.cpu = append(way.cpu, (used()-cpu).Seconds()*1e6/float64(way.calls))
				way.rate = append(way.rate, float64(way.calls)/time.Since(began).Seconds())
			}
		}
	}
	fmt.Print("| call | CPU per call, us | calls per second | x CPU of the first |\n|---|---|---|---|\n")
	for _, way := range ways {
		fmt.Printf("| %s | %.0f | %.0f | %.2f |\n", way.name, median(way.cpu), median(way.rate), median(way.cpu)/median(ways[0].cpu))
	}
	fmt.Println()
	return nil
}

func median(figures []float64) float64 {
	sorted := slices.Clone(figures)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
