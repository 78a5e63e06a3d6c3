package dev.recto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.recto.errors.ErrorDetails;
import dev.recto.errors.ErrorKinds;
import dev.recto.errors.NotFoundException;
import dev.recto.errors.RectoException;
import dev.recto.options.EncryptOptions;
import dev.recto.options.Margin;
import dev.recto.options.OperationOptions;
import dev.recto.options.Profile;
import dev.recto.options.StampTextOptions;
import dev.recto.options.Unit;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Options, settings and results are values: immutable, comparable, printed without secrets. */
class ValuesTest {
    @Test
    void optionsDoNotChangeAfterTheyAreBuilt() {
        StampTextOptions.Builder builder = StampTextOptions.builder().text("a");
        StampTextOptions first = builder.build();
        StampTextOptions second = builder.text("b").build();
        assertEquals("a", first.values().get("text"));
        assertEquals(StampTextOptions.of("b"), second);
        assertNotEquals(first, second);
        assertThrows(UnsupportedOperationException.class, () -> first.values().put("text", "c"));
    }

    @Test
    void anObjectReplacesTheOneThatWasSetBefore() {
        StampTextOptions options = StampTextOptions.builder()
                .text("a")
                .margin(Margin.builder().top(1).build())
                .margin(Margin.builder().left(2).unit(Unit.IN).build())
                .build();
        assertEquals("[text, margin.left, margin.unit]", options.values().keySet().toString());
    }

    @Test
    void nothingPrintsASecret() {
        String secret = "hunter2";
        EncryptOptions options = EncryptOptions.builder().password(secret).build();
        Result.OutputFile output = new Result.OutputFile(new FileId("f"), "a.pdf", "https://x/?sig=" + secret);
        Result result =
                new Result("optimize", "finished", Optional.of(output), Optional.empty(), Optional.empty(), secret);
        for (Object value : new Object[] {
            options, Recto.client().apiKey(secret), result, OperationOptions.of("encrypt", "{\"password\":\"hunter2\"}")
        }) {
            assertFalse(value.toString().contains(secret), value.toString());
        }
        assertTrue(options.toString().contains("password=***"), options.toString());
    }

    @Test
    void enumsHaveTheTextOfTheService() {
        assertEquals("minimalFileSize", Profile.MINIMAL_FILE_SIZE.toString());
    }

    @Test
    void aStatusHasItsExceptionAndAnUnknownOneTheGeneralOne() {
        ErrorDetails details = ErrorDetails.of("message");
        assertEquals(NotFoundException.class, ErrorKinds.exception(-6, details).getClass());
        assertEquals(RectoException.class, ErrorKinds.exception(-77, details).getClass());
    }
}
