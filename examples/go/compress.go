// Compresses a PDF from Go. In the folder of this file: go run . IN.pdf OUT.pdf
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	recto "example.com/recto/bindings/go"
)

func compress(ctx context.Context, source, target string) error {
	client, err := recto.NewClient()
	if err != nil {
		return err
	}
	defer client.Close()
	operation, err := client.Optimize(ctx, recto.Path(source), recto.OptimizeOptions{Profile: recto.ProfileWeb})
	if err != nil {
		return err
	}
	defer operation.Close()
	saved, err := operation.Save(ctx, target)
	if err != nil {
		return err
	}
	fmt.Println(saved)
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compress IN.pdf OUT.pdf")
		os.Exit(2)
	}
	// Ctrl-C cancels the call, and leaves no partial file.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := compress(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
