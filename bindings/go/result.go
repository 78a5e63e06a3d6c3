package recto

/*
#include "shim.h"
*/
import "C"

import (
	"encoding/json"
	"log/slog"
	"strings"
)

// Result is the result of an operation: a file, or the report of a validation. Printed and logged, it shows no secret.
type Result struct {
	// OperationType is `operationType`, as in the response to the start of the operation.
	OperationType string
	// Status is the status as the service spells it.
	Status string
	// Output is the result file; nil if there is none.
	Output *OutputFile
	// Validation is the report of a validation; nil if there is none.
	Validation *ValidationReport
	// RequestID is the identifier under which the service logged the request for this result.
	RequestID string
	// JSON is the whole response of the service, including fields that this version does not know. It may contain the
	// address of the result file, which is a secret.
	JSON json.RawMessage
}

// OutputFile is a result file.
type OutputFile struct {
	// FileID is the identifier of the file; empty if the service gave none.
	FileID FileID
	// Name is the name that the service gave to the file. It is not sanitised: make it safe before you use it as a file
	// name, as [Operation.Save] does.
	Name string
	// URL is the address to download the file from.
	URL SignedURL
}

// LogValue describes the file, without the query of its address.
func (f OutputFile) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("FileID", string(f.FileID)), slog.String("Name", f.Name), slog.String("URL", f.URL.String()))
}

// ValidationReport is the report of a validation.
type ValidationReport struct {
	// IsConforming is whether the document conforms; nil if the report does not state this.
	IsConforming *bool
	// Errors are the findings, as texts for people.
	Errors []string
	// Conformance is the level that the document declares, such as "pdf15"; empty if there is none.
	Conformance string
}

// SignedURL is an address whose query gives access to a file, and is a secret. Printed and logged it has no query;
// convert it with string() to use it.
type SignedURL string

// String returns the address without its query.
func (u SignedURL) String() string {
	address, _, signed := strings.Cut(string(u), "?")
	if signed {
		address += "?..."
	}
	return address
}

// GoString returns the address without its query.
func (u SignedURL) GoString() string { return u.String() }

// LogValue returns the address without its query.
func (u SignedURL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// Secret is a password. Printed and logged it is hidden; convert it with string() to use it.
type Secret string

// String hides the secret.
func (s Secret) String() string { return "[hidden]" }

// GoString hides the secret.
func (s Secret) GoString() string { return "[hidden]" }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue("[hidden]") }

// String describes the result, without the address of its file.
func (r Result) String() string {
	text := "recto.Result(" + r.OperationType + " " + r.Status
	if r.Output != nil {
		text += " " + r.Output.Name
	}
	return text + ")"
}

// GoString describes the result as String does.
func (r Result) GoString() string { return r.String() }

// LogValue describes the result as String does.
func (r Result) LogValue() slog.Value { return slog.StringValue(r.String()) }

// copyResult copies a result of the library, which stays valid. It returns nil for nil.
func copyResult(result *C.recto_result) *Result {
	if result == nil {
		return nil
	}
	var from C.recto_go_result
	C.recto_go_read_result(result, &from)
	copied := &Result{
		OperationType: C.GoString(from.operation_type),
		Status:        C.GoString(from.status),
		RequestID:     C.GoString(from.request_id),
		JSON:          json.RawMessage(C.GoString(from.json)),
	}
	if from.has_output != 0 {
		copied.Output = &OutputFile{
			FileID: FileID(C.GoString(from.file_id)),
			Name:   C.GoString(from.name),
			URL:    SignedURL(C.GoString(from.url)),
		}
	}
	if from.has_validation != 0 {
		report := &ValidationReport{Conformance: C.GoString(from.conformance)}
		if from.is_conforming >= 0 {
			conforming := from.is_conforming != 0
			report.IsConforming = &conforming
		}
		for at := C.size_t(0); at < from.findings; at++ {
			report.Errors = append(report.Errors, C.GoString(C.recto_result_error_at(result, at)))
		}
		copied.Validation = report
	}
	return copied
}
