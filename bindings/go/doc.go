// Package recto compresses, converts, stamps, protects, validates and archives documents. It is a client for a PDF
// processing service, and it contains that service: without a configured address it processes documents on this
// machine, and no document leaves it.
//
//	client, err := recto.NewClient()
//	...
//	operation, err := client.Optimize(ctx, recto.Path("report.pdf"), recto.OptimizeOptions{Profile: recto.ProfileWeb})
//	...
//	_, err = operation.Save(ctx, "small.pdf")
//
// # Operations
//
// Each operation is a method of [Client] with a type for its options. An option that is not set is not sent, and the
// service uses its default. "Not set" is the empty value for texts of a fixed list and passwords, and nil for
// everything else that may be left out; [Ptr] makes a pointer. [Client.Start] takes the options of any operation, and
// [RawOptions] those that are newer than this version.
//
// A document is a [Path], a [URL], [Bytes], a [Reader], a [FileID], or the [Operation] or [Result] that made it.
//
// # Contexts and time limits
//
// A call ends within about 50 ms when its context is cancelled, also while a reader or writer of the program blocks.
// The deadline of the context is also a time limit of the call: the earliest of it and [WithTimeout] counts. It takes
// precedence over the environment variable RECTO_TIMEOUT. The operation continues in the service after its call has
// ended.
//
// # Errors
//
// The error of a call is an *[Error], with a [Kind] that errors.Is finds:
//
//	var failed *recto.Error
//	switch {
//	case errors.Is(err, recto.ErrNotFound):
//	case errors.Is(err, context.DeadlineExceeded):
//	case errors.As(err, &failed) && failed.Retryable:
//	}
//
// # Goroutines and threads
//
// Any number of goroutines can use a client and its operations. A call occupies a thread of the system while it waits,
// as a file operation of package os does. At most 512 calls do so at the same time, and further ones wait without a
// thread. Calls with a [Reader], a writer or [OnProgress] are not counted.
//
// Close a [Client], [Operation], [Batch] and [LocalService] after use. The garbage collector frees forgotten ones, but
// later.
//
// # Linking
//
// The package needs cgo and the C library of Recto, which pkg-config finds. With the build tag recto_static the program
// contains the library, and needs no file of Recto at run time, except the program `recto` for the workers of the
// embedded service. The static library is found on Linux.
package recto
