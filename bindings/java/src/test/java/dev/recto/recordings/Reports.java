package dev.recto.recordings;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.recto.FileRecord;
import dev.recto.Progress;
import dev.recto.Result;
import dev.recto.errors.ErrorDetails;
import dev.recto.errors.RectoException;
import java.util.List;
import java.util.Set;

/** The outcomes of calls, as the replay server compares them. */
final class Reports {
    /** The kinds of errors whose names end with "Error". */
    private static final Set<String> ERRORS = Set.of("Config", "Auth", "Server", "Transport", "Protocol", "Io");

    private Reports() {}

    static JsonObject of(String name, String value) {
        return of(name, nullable(value));
    }

    static JsonObject of(String name, JsonElement value) {
        JsonObject object = new JsonObject();
        object.add(name, value);
        return object;
    }

    static JsonElement nullable(Object value) {
        return value == null ? JsonNull.INSTANCE : new JsonPrimitive(value.toString());
    }

    static JsonObject files(List<FileRecord> files) {
        return of("files", Recordings.array(files.stream().map(Reports::file)));
    }

    static JsonObject file(FileRecord file) {
        JsonObject record = of("id", nullable(file.id()));
        record.add("createdAt", nullable(file.createdAt()));
        record.add("origin", nullable(file.origin()));
        record.add("name", nullable(file.name()));
        record.add("extension", nullable(file.extension()));
        return record;
    }

    static JsonObject progress(Progress progress) {
        JsonObject report = of("phase", progress.phase().toString());
        report.addProperty("done", progress.done());
        report.add("total", progress.total().isPresent()
                ? new JsonPrimitive(progress.total().getAsLong())
                : JsonNull.INSTANCE);
        return report;
    }

    static JsonObject result(Result result) {
        JsonObject report = of("operationType", result.operationType());
        report.addProperty("status", result.status());
        report.add("output", result.output().map(Reports::output).orElse(JsonNull.INSTANCE));
        report.add("validation", result.validation().map(Reports::validation).orElse(JsonNull.INSTANCE));
        report.add("raw", JsonParser.parseString(result.json()));
        return report;
    }

    private static JsonElement output(Result.OutputFile output) {
        JsonObject report = of("fileId", nullable(output.fileId()));
        report.add("name", nullable(output.name()));
        report.add("url", nullable(output.url()));
        return report;
    }

    private static JsonElement validation(Result.Validation validation) {
        JsonObject report = new JsonObject();
        report.add("isConforming", validation.isConforming()
                .<JsonElement>map(JsonPrimitive::new)
                .orElse(JsonNull.INSTANCE));
        report.add("errors", Recordings.array(validation.errors().stream().map(JsonPrimitive::new)));
        report.add("conformance", nullable(validation.conformance().orElse(null)));
        return report;
    }

    static JsonObject error(RectoException exception, Notes notes) {
        ErrorDetails details = exception.details();
        JsonObject fields = of("code", details.code());
        fields.add("title", nullable(details.title()));
        fields.add("detail", nullable(details.detail()));
        fields.add("requestId", nullable(details.requestId()));
        fields.add("operationId", nullable(details.operationId()));
        fields.add("method", nullable(details.method()));
        fields.add("url", nullable(details.url()));
        fields.add("body", nullable(details.body()));
        fields.add("token", nullable(details.token()));
        fields.add("phase", nullable(details.phase()));
        fields.addProperty("attempts", details.attempts());
        fields.addProperty("retryable", details.isRetryable());
        if (details.httpStatus() != 0) {
            fields.addProperty("status", details.httpStatus());
        }
        if (details.retryAfter() != null) {
            fields.addProperty("retryAfterMs", details.retryAfter().toMillis());
        }
        notes.add(exception.toString());
        notes.add(details.toString());
        JsonObject report = of("kind", kind(exception));
        report.addProperty("message", exception.getMessage());
        report.add("fields", fields);
        return report;
    }

    /** The name of an error class in the scenarios. */
    private static String kind(RectoException exception) {
        String name = exception.getClass().getSimpleName().replaceFirst("Exception$", "");
        return ERRORS.contains(name) ? name + "Error" : name;
    }
}
