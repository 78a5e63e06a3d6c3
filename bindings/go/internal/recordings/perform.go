package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync/atomic"
	"time"

	recto "example.com/recto/bindings/go"
)

// How many operations were started with the types of their options, and with JSON.
var typed, untyped atomic.Int32

func (r *runner) perform(ctx context.Context, call object, options []recto.CallOption) (map[string]any, error) {
	switch op := call.text("op"); op {
	case "upload":
		from, done := r.source(call)
		defer done()
		id, err := r.client.Upload(ctx, from, options...)
		return map[string]any{"fileId": id}, err
	case "uploadUrl":
		id, err := r.client.Upload(ctx, recto.URL(call.text("url")), options...)
		return map[string]any{"fileId": id}, err
	case "list":
		list := r.client.Files
		if call.flag("onlyResultFiles") {
			list = r.client.ResultFiles
		}
		files, err := list(ctx, options...)
		return records(files), err
	case "get":
		file, err := r.client.File(ctx, recto.FileID(call.text("fileId")), options...)
		if err != nil {
			return nil, err
		}
		return record(*file), nil
	case "delete":
		files, err := r.client.DeleteFile(ctx, recto.FileID(call.text("fileId")), options...)
		return records(files), err
	case "start", "run":
		from, done := r.source(call)
		defer done()
		return r.started(r.start(ctx, call, from, options))
	case "resume":
		token := r.token
		if call.has("token") {
			token = call.text("token")
		}
		return r.started(r.client.Resume(token))
	case "close":
		return map[string]any{}, r.client.Close()
	case "withOptions":
		copied, err := r.client.With(r.clientOptions(call.object("changes"))...)
		if err == nil {
			r.client = copied
		}
		return map[string]any{}, err
	default:
		return r.withOperation(ctx, op, call, options)
	}
}

func (r *runner) withOperation(ctx context.Context, op string, call object, options []recto.CallOption) (map[string]any, error) {
	to := call.text("to")
	switch op {
	case "status":
		status, err := r.operation.Status(ctx, options...)
		return map[string]any{"status": status}, err
	case "wait":
		result, err := r.operation.Wait(ctx, options...)
		if err != nil {
			return nil, err
		}
		r.result = result
		return r.waited(result), nil
	case "save":
		path, err := r.operation.Save(ctx, to, options...)
		return map[string]any{"path": path}, err
	case "read":
		content, err := r.operation.ReadAll(ctx, options...)
		if err != nil {
			return nil, err
		}
		return map[string]any{"bytes": len(content)}, os.WriteFile(to, content, 0o600)
	case "writeTo":
		var content bytes.Buffer
		length, err := r.operation.WriteTo(ctx, &content, options...)
		if err != nil {
			return nil, err
		}
		return map[string]any{"bytes": length}, os.WriteFile(to, content.Bytes(), 0o600)
	case "token":
		token, err := r.operation.Token()
		r.token = token
		return map[string]any{"token": token}, err
	case "deleteOperation":
		return map[string]any{}, r.operation.Delete(ctx, options...)
	}
	return nil, fmt.Errorf("unknown op %s", op)
}

// starters are the methods of the client that are named after the operations.
var starters = func() map[string]reflect.Method {
	found := map[string]reflect.Method{}
	client := reflect.TypeOf((*recto.Client)(nil))
	for at := 0; at < client.NumMethod(); at++ {
		method := client.Method(at)
		if method.Type.NumIn() == 5 && method.Name != "Start" {
			if options, is := reflect.Zero(method.Type.In(3)).Interface().(recto.Options); is {
				found[options.Operation()] = method
			}
		}
	}
	return found
}()

// start starts the operation with its own method, if its options have exactly the JSON of the scenario. Options that a
// Go program could not write, such as those of an unknown name, are sent as JSON.
func (r *runner) start(ctx context.Context, call object, from recto.Source, options []recto.CallOption) (*recto.Operation, error) {
	name, written := call.text("operation"), []byte(call["options"])
	if method, known := starters[name]; known && call.text("op") == "start" {
		decoded := reflect.New(method.Type.In(3))
		if isWritten(decoded.Interface(), written) {
			typed.Add(1)
			given := []reflect.Value{reflect.ValueOf(r.client), reflect.ValueOf(ctx), reflect.ValueOf(&from).Elem(), decoded.Elem(),
				reflect.ValueOf(options)}
			out := method.Func.CallSlice(given)
			err, _ := out[1].Interface().(error)
			return out[0].Interface().(*recto.Operation), err
		}
	}
	untyped.Add(1)
	raw := recto.RawOptions{Name: name, JSON: written, Unchecked: call.text("op") == "run"}
	r.log.note(raw)
	return r.client.Start(ctx, from, raw, options...)
}

// isWritten decodes the JSON of a scenario, and reports whether the options have exactly this JSON.
func isWritten(options any, written []byte) bool {
	if written == nil {
		written = []byte("{}")
	}
	if json.Unmarshal(written, options) != nil {
		return false
	}
	again, err := json.Marshal(options)
	if err != nil {
		return false
	}
	var one, two any
	return json.Unmarshal(again, &one) == nil && json.Unmarshal(written, &two) == nil && reflect.DeepEqual(one, two)
}

// source returns the source of a call, and a function that ends its use.
func (r *runner) source(call object) (recto.Source, func()) {
	path, name := call.text("file"), call.text("name")
	switch from := call.text("from"); from {
	case "path":
		return recto.Path(path), func() {}
	case "fileId":
		return recto.FileID(call.text("fileId")), func() {}
	case "operation":
		return r.operation, func() {}
	case "result":
		return r.result, func() {}
	case "bytes":
		content, err := os.ReadFile(path)
		if err != nil {
			fail(err)
		}
		return recto.Bytes(name, content), func() {}
	default:
		file, err := os.Open(path)
		if err != nil {
			fail(err)
		}
		done := func() { file.Close() }
		// A reader that cannot seek and has no length.
		plain := struct{ io.Reader }{file}
		if from != "sizedReader" {
			return recto.Reader(name, plain), done
		}
		info, err := file.Stat()
		if err != nil {
			fail(err)
		}
		return recto.SizedReader(name, plain, info.Size()), done
	}
}

func (r *runner) started(operation *recto.Operation, err error) (map[string]any, error) {
	if err != nil {
		return nil, err
	}
	if r.operation != nil {
		r.operation.Close()
	}
	r.operation = operation
	r.log.note(operation)
	ok := map[string]any{"operationId": operation.ID(), "operation": operation.Name(), "operationType": operation.Type()}
	return ok, nil
}

func (r *runner) waited(result *recto.Result) map[string]any {
	r.log.note(result)
	r.log.note(*result)
	ok := map[string]any{"operationType": result.OperationType, "status": result.Status, "raw": result.JSON}
	if output := result.Output; output != nil {
		r.log.note(output)
		ok["output"] = map[string]any{
			"fileId": nullable(string(output.FileID)), "name": nullable(output.Name), "url": nullable(string(output.URL)),
		}
	}
	if report := result.Validation; report != nil {
		ok["validation"] = map[string]any{
			"isConforming": report.IsConforming, "errors": append([]string{}, report.Errors...),
			"conformance": nullable(report.Conformance),
		}
	}
	return ok
}

func record(file recto.File) map[string]any {
	ok := map[string]any{
		"id": file.ID, "origin": nullable(file.Origin), "name": nullable(file.Name), "extension": nullable(file.Extension),
	}
	if !file.CreatedAt.IsZero() {
		ok["createdAt"] = file.CreatedAt.UTC().Format(time.RFC3339Nano)
	}
	return ok
}

func records(files []recto.File) map[string]any {
	list := []map[string]any{}
	for _, file := range files {
		list = append(list, record(file))
	}
	return map[string]any{"files": list}
}

// nullable is null for an empty text.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}
