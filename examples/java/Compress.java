// Compresses a PDF from Java, with JNA: java -cp jna.jar Compress.java IN.pdf OUT.pdf
//
//     If the library is not installed: -Djna.library.path=/folder/of/librecto

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

public class Compress {
    interface Recto extends Library {
        Recto C = Native.load("recto", Recto.class, java.util.Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));

        int recto_client_new(Pointer config, PointerByReference out, PointerByReference err);
        int recto_start_path(Pointer client, String operation, String path, String options, Pointer call,
                             PointerByReference out, PointerByReference err);
        int recto_operation_save(Pointer operation, String path, Pointer call, PointerByReference saved,
                                 PointerByReference err);
        String recto_error_message(Pointer error);
        void recto_error_free(Pointer error);
        void recto_operation_free(Pointer operation);
        void recto_client_free(Pointer client);
    }

    /** The error of a call. */
    static class RectoException extends Exception {
        RectoException(String message) {
            super(message);
        }
    }

    static void check(int status, PointerByReference error) throws RectoException {
        if (status < 0) {
            String message = Recto.C.recto_error_message(error.getValue());
            Recto.C.recto_error_free(error.getValue());
            throw new RectoException(message);
        }
    }

    static void compress(String source, String target) throws RectoException {
        PointerByReference client = new PointerByReference(), operation = new PointerByReference();
        PointerByReference error = new PointerByReference();
        try {
            check(Recto.C.recto_client_new(null, client, error), error);
            check(Recto.C.recto_start_path(client.getValue(), "optimize", source, "{\"profile\": \"web\"}", null,
                                           operation, error), error);
            check(Recto.C.recto_operation_save(operation.getValue(), target, null, null, error), error);
        } finally {
            Recto.C.recto_operation_free(operation.getValue());
            Recto.C.recto_client_free(client.getValue());
        }
    }

    public static void main(String[] arguments) {
        try {
            compress(arguments[0], arguments[1]);
            System.out.println(arguments[1]);
        } catch (RectoException exception) {
            System.err.println(arguments[0] + ": " + exception.getMessage());
            System.exit(1);
        }
    }
}
