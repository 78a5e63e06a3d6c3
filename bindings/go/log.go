package recto

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"log/slog"
	"runtime/cgo"
)

// LevelTrace is the level of the most verbose events.
const LevelTrace = slog.LevelDebug - 4

// levels has the levels of the library with those of slog, the most verbose one first.
var levels = []struct {
	recto int32
	slog  slog.Level
}{
	{C.RECTO_LOG_TRACE, LevelTrace},
	{C.RECTO_LOG_DEBUG, slog.LevelDebug},
	{C.RECTO_LOG_INFO, slog.LevelInfo},
	{C.RECTO_LOG_WARN, slog.LevelWarn},
	{C.RECTO_LOG_ERROR, slog.LevelError},
}

func slogLevel(level int32) slog.Level {
	for _, known := range levels {
		if known.recto == level {
			return known.slog
		}
	}
	return slog.LevelError
}

// setLogger makes the clients of a configuration log to logger. The library drops the handle when it needs it no more.
func setLogger(config *C.recto_config, logger *slog.Logger) error {
	for _, level := range levels {
		if !logger.Enabled(context.Background(), level.slog) {
			continue
		}
		handle := cgo.NewHandle(logger)
		var failed *C.recto_error
		err := check(C.recto_go_set_log(config, C.int32_t(level.recto), C.uintptr_t(handle), &failed), failed)
		if err != nil {
			handle.Delete()
		}
		return err
	}
	return nil
}
