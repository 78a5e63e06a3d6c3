package main

import (
	"errors"

	recto "example.com/recto/bindings/go"
)

// report describes an error for the replay server.
func (r *runner) report(err error) map[string]any {
	r.log.note(err)
	var failed *recto.Error
	if !errors.As(err, &failed) {
		return map[string]any{"kind": "an error of another type", "message": err.Error(), "fields": map[string]any{}}
	}
	r.log.note(*failed)
	if failed.Token != "" {
		r.token = failed.Token
	}
	fields := map[string]any{
		"code": nullable(failed.Code), "title": nullable(failed.Title), "detail": nullable(failed.Detail),
		"requestId": nullable(failed.RequestID), "operationId": nullable(failed.OperationID),
		"method": nullable(failed.Method), "url": nullable(failed.URL), "body": nullable(failed.Body),
		"token": nullable(failed.Token), "attempts": failed.Attempts, "retryable": failed.Retryable,
	}
	if failed.HTTPStatus != 0 {
		fields["status"] = failed.HTTPStatus
	}
	if failed.Phase != 0 {
		fields["phase"] = failed.Phase.String()
	}
	if failed.RetryAfter != nil {
		fields["retryAfterMs"] = failed.RetryAfter.Milliseconds()
	}
	return map[string]any{"kind": failed.Kind.String(), "message": err.Error(), "fields": fields}
}
