package main

import (
	"encoding/json"
	"time"
)

// object is a JSON object of the replay server, whose values are read when they are needed.
type object map[string]json.RawMessage

func (o object) has(name string) bool { return len(o[name]) > 0 }

// read decodes a value; the replay server has checked its type.
func read[T any](o object, name string) (value T) {
	if o.has(name) {
		if err := json.Unmarshal(o[name], &value); err != nil {
			fail(err)
		}
	}
	return value
}

func (o object) text(name string) string   { return read[string](o, name) }
func (o object) flag(name string) bool     { return read[bool](o, name) }
func (o object) object(name string) object { return read[object](o, name) }

func (o object) texts(name string) map[string]string { return read[map[string]string](o, name) }

func (o object) time(name string) time.Duration {
	return time.Duration(read[int64](o, name)) * time.Millisecond
}
