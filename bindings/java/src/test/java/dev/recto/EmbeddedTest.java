package dev.recto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.recto.options.Conformance;
import dev.recto.options.ArchivePdfAOptions;
import dev.recto.options.EncryptOptions;
import dev.recto.options.OptimizeOptions;
import dev.recto.options.Profile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents are processed by the service that is embedded in the library. */
class EmbeddedTest {
    private final Path report = Path.of(System.getProperty("recto.examples", "../../examples"), "report.pdf");

    @TempDir
    Path folder;

    @BeforeEach
    void needsTheService() {
        assumeTrue(Recto.hasFeature("local"), "this library has no embedded service");
    }

    private static ClientBuilder embedded() {
        return Recto.client().environment(false);
    }

    @Test
    void aDocumentBecomesSmaller() throws IOException {
        try (RectoClient client = embedded().build();
                Operation operation = client.optimize(report, options(Profile.WEB))) {
            Path small = operation.save(folder);
            assertEquals("report.pdf", small.getFileName().toString());
            assertTrue(Files.size(small) < Files.size(report) / 2);
        }
    }

    @Test
    void operationsAreChainedAndValidated() {
        try (RectoClient client = embedded().dataDir(folder).retention(Duration.ofMinutes(5)).build();
                Operation archived = client.archivePdfa(report, ArchivePdfAOptions.of(Conformance.PDF_A2_B));
                Operation validated = client.validate(Source.of(archived))) {
            Result.Validation report = validated.result().validation().orElseThrow();
            assertNotNull(report.errors());
            assertTrue(report.conformance().isPresent());
        }
    }

    @Test
    void anOperationIsResumedByItsToken() {
        try (RectoClient client = embedded().build();
                Operation operation = client.encrypt(
                        report, EncryptOptions.builder().password("secret").build())) {
            try (Operation resumed = client.resume(operation.token())) {
                assertEquals(operation.id(), resumed.id());
                assertTrue(resumed.read().length > 0);
                assertFalse(client.listFiles(true).isEmpty());
                resumed.delete();
            }
        }
    }

    @Test
    void aBatchReturnsEveryDocumentAndResumesFromItsJournal() throws IOException {
        Path good = Files.copy(report, folder.resolve("good.pdf"));
        Path bad = Files.writeString(folder.resolve("bad.pdf"), "not a PDF");
        try (RectoClient client = embedded().build()) {
            for (int run = 0; run < 2; run++) {
                List<BatchItem> items;
                try (Batch batch = client.batch(options(Profile.WEB))
                        .to(folder.resolve("out"))
                        .journal(folder.resolve("journal"))
                        .concurrency(2)
                        .add(good)
                        .add(bad)
                        .build()) {
                    items = StreamSupport.stream(batch.spliterator(), false).toList();
                }
                assertEquals(2, items.size());
                BatchItem done = items.stream().filter(item -> item.index() == 0).findFirst().orElseThrow();
                assertEquals(folder.resolve("out/good.pdf"), done.path());
                assertEquals(run == 1, done.isResumed());
                assertEquals(1, items.stream().filter(BatchItem::hasFailed).count());
            }
        }
    }

    @Test
    void aServiceThatWasStartedExplicitlyHasClients() {
        try (LocalService service = Recto.localService().workers(1).dataDir(folder).start();
                RectoClient client = Recto.client().baseUrl(service.baseUrl()).apiKey(service.apiKey()).build()) {
            byte[] bytes = client.optimize(report).read();
            FileId id = client.upload(Source.of(new ByteArrayInputStream(bytes), "small.pdf"));
            assertEquals("small.pdf", client.getFile(id).name());
            client.deleteFile(id);
        }
    }

    private static OptimizeOptions options(Profile profile) {
        return OptimizeOptions.builder().profile(profile).build();
    }
}
