package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import dev.recto.options.OperationOptions;
import java.util.Map;

/** Writes the options of an operation as JSON, with the recto_options of the C library, which checks them. */
final class OptionsJson {
    private OptionsJson() {}

    /** Writes JSON to memory of the frame; 0 if there are no options. */
    static long write(OperationOptions options, Frame frame) {
        if (options.json().isPresent()) {
            return frame.text(options.json().get());
        }
        if (options.values().isEmpty()) {
            return 0;
        }
        long out = frame.slot();
        long error = frame.slot();
        Errors.check(
                CLibrary.recto_options_new(frame.text(options.operation()), out, error), Memory.getLong(error));
        long handle = Memory.getLong(out);
        try {
            for (Map.Entry<String, Object> option : options.values().entrySet()) {
                int status = set(handle, frame.text(option.getKey()), option.getValue(), frame, error);
                Errors.check(status, Memory.getLong(error));
            }
            return frame.text(Frame.string(CLibrary.recto_options_json(handle)));
        } finally {
            CLibrary.recto_options_free(handle);
        }
    }

    private static int set(long options, long name, Object value, Frame frame, long error) {
        if (value instanceof Long number) {
            return CLibrary.recto_options_set_int(options, name, number, error);
        }
        if (value instanceof Double number) {
            return CLibrary.recto_options_set_double(options, name, number, error);
        }
        if (value instanceof Boolean flag) {
            return CLibrary.recto_options_set_bool(options, name, flag ? 1 : 0, error);
        }
        return CLibrary.recto_options_set_text(options, name, frame.text((String) value), error);
    }
}
