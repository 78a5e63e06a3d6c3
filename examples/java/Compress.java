// Compresses a PDF from Java, with the package of bindings/java: java -cp "jars/*" Compress.java IN.pdf OUT.pdf

import dev.recto.Recto;
import dev.recto.errors.RectoException;
import dev.recto.options.OptimizeOptions;
import dev.recto.options.Profile;
import java.nio.file.Path;

public class Compress {
    public static void main(String[] arguments) {
        var options = OptimizeOptions.builder().profile(Profile.WEB).build();
        try (var client = Recto.client().build();
                var operation = client.optimize(Path.of(arguments[0]), options)) {
            System.out.println(operation.save(Path.of(arguments[1])));
        } catch (RectoException exception) {
            System.err.println(exception.getMessage());
            System.exit(1);
        }
    }
}
