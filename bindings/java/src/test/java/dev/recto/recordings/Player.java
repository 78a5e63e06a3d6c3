package dev.recto.recordings;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.recto.CallOption;
import dev.recto.ClientBuilder;
import dev.recto.FileId;
import dev.recto.Operation;
import dev.recto.Recto;
import dev.recto.RectoClient;
import dev.recto.Result;
import dev.recto.Source;
import dev.recto.errors.RectoException;
import dev.recto.options.OperationOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Plays one scenario: creates its client, makes its calls, and reports their outcomes. */
final class Player {
    private final JsonObject settings;
    private final Notes notes = new Notes();
    private RectoClient client;
    private Operation operation;
    private Result result;
    private String token;

    Player(JsonObject settings) {
        this.settings = settings;
    }

    JsonObject play(JsonArray calls) {
        JsonArray steps = new JsonArray();
        calls.forEach(call -> steps.add(step(call.getAsJsonObject())));
        if (operation != null) {
            operation.close();
        }
        if (client != null) {
            client.close();
        }
        JsonObject outcome = new JsonObject();
        outcome.add("steps", steps);
        outcome.addProperty("log", notes.text());
        return outcome;
    }

    /** Makes one call, and reports its result or its error. */
    private JsonObject step(JsonObject call) {
        JsonObject step = new JsonObject();
        JsonArray progress = new JsonArray();
        long began = System.nanoTime();
        try {
            step.add("ok", make(call, progress));
        } catch (RectoException exception) {
            step.add("error", Reports.error(exception, notes));
            exception.token().ifPresent(known -> token = known);
        }
        step.addProperty("elapsedMs", (System.nanoTime() - began) / 1_000_000);
        if (isTrue(call, "progress")) {
            step.add("progress", progress);
        }
        return step;
    }

    private JsonElement make(JsonObject call, JsonArray progress) {
        if (text(call, "op").equals("newClient")) {
            if (operation != null) {
                operation.close();
            }
            client.close();
            operation = null;
            client = null;
            connect(text(call, "baseUrl"));
            return new JsonObject();
        }
        if (client == null) {
            connect(null);
        }
        CallOption[] options = options(call, progress);
        Thread caller = Thread.currentThread();
        Timer canceller = Timer.after(call.get("cancelAfterMs"), caller::interrupt);
        Timer closer = Timer.after(call.get("closeAfterMs"), client::close);
        try {
            return perform(call, options);
        } finally {
            canceller.stop();
            closer.stop();
            // The interrupt of the canceller.
            Thread.interrupted();
        }
    }

    private CallOption[] options(JsonObject call, JsonArray progress) {
        List<CallOption> options = new ArrayList<>();
        options.add(CallOption.force(isTrue(call, "force")));
        options.add(CallOption.overwrite(!call.has("overwrite") || isTrue(call, "overwrite")));
        options.add(CallOption.deleteAfter(isTrue(call, "deleteAfter")));
        options.add(CallOption.unchecked(text(call, "op").equals("run")));
        options.add(CallOption.onProgress(now -> {
            progress.add(Reports.progress(now));
            if (now.phase().toString().equals(text(call, "stopAtPhase"))) {
                throw new CancellationException();
            }
        }));
        members(call, "headers").forEach(header ->
                options.add(CallOption.header(header.getKey(), header.getValue().getAsString())));
        if (call.has("extraOptions")) {
            options.add(CallOption.extraOptions(call.get("extraOptions").toString()));
        }
        if (call.has("timeoutMs")) {
            options.add(CallOption.timeout(milliseconds(call.get("timeoutMs"))));
        }
        if (call.has("waitTimeoutMs")) {
            options.add(CallOption.waitTimeout(milliseconds(call.get("waitTimeoutMs"))));
        }
        return options.toArray(CallOption[]::new);
    }

    private JsonElement perform(JsonObject call, CallOption[] options) {
        switch (text(call, "op")) {
            case "upload":
                FileId uploaded = withSource(call, from -> client.upload(from, options));
                return Reports.of("fileId", uploaded.value());
            case "uploadUrl":
                return Reports.of("fileId", client.upload(Source.url(text(call, "url")), options).value());
            case "list":
                return Reports.files(client.listFiles(isTrue(call, "onlyResultFiles"), options));
            case "get":
                return Reports.file(client.getFile(new FileId(text(call, "fileId")), options));
            case "delete":
                return Reports.files(client.deleteFile(new FileId(text(call, "fileId")), options));
            case "start", "run":
                String json = call.has("options") ? call.get("options").toString() : null;
                OperationOptions given = OperationOptions.of(text(call, "operation"), json);
                return started(withSource(call, from -> client.start(from, given, options)));
            case "resume":
                return started(client.resume(call.has("token") ? text(call, "token") : token));
            case "status":
                return Reports.of("status", operation.status(options));
            case "wait":
                result = operation.result(options);
                notes.add(result.toString());
                return Reports.result(result);
            case "save":
                return Reports.of("path", operation.save(Path.of(text(call, "to")), options).toString());
            case "read":
                return written(call, operation.read(options));
            case "writeTo":
                ByteArrayOutputStream content = new ByteArrayOutputStream();
                operation.writeTo(content, options);
                return written(call, content.toByteArray());
            case "token":
                token = operation.token();
                return Reports.of("token", token);
            case "deleteOperation":
                operation.delete(options);
                return new JsonObject();
            case "close":
                client.close();
                return new JsonObject();
            case "withOptions":
                JsonObject changes = call.getAsJsonObject("changes");
                client = client.with(builder -> configure(builder, changes));
                return new JsonObject();
            default:
                throw new IllegalArgumentException("unknown op " + call);
        }
    }

    private void connect(String baseUrl) {
        members(settings, "environment").forEach(variable ->
                Recordings.LibC.INSTANCE.setenv(variable.getKey(), variable.getValue().getAsString(), 1));
        try {
            ClientBuilder builder = Recto.client();
            configure(builder, settings);
            if (baseUrl != null) {
                builder.baseUrl(baseUrl);
            }
            notes.add(builder.toString());
            client = builder.build();
            notes.add(client.toString());
        } finally {
            members(settings, "environment").forEach(variable ->
                    Recordings.LibC.INSTANCE.unsetenv(variable.getKey()));
        }
    }

    private void configure(ClientBuilder builder, JsonObject changes) {
        builder.logger(notes);
        for (Map.Entry<String, JsonElement> setting : changes.entrySet()) {
            JsonElement value = setting.getValue();
            switch (setting.getKey()) {
                case "baseUrl" -> builder.baseUrl(value.getAsString());
                case "apiKey" -> builder.apiKey(value.getAsString());
                case "timeoutMs" -> builder.timeout(milliseconds(value));
                case "connectTimeoutMs" -> builder.connectTimeout(milliseconds(value));
                case "stallTimeoutMs" -> builder.stallTimeout(milliseconds(value));
                case "waitTimeoutMs" -> builder.waitTimeout(milliseconds(value));
                case "retries" -> builder.retries(value.getAsInt());
                case "retryUnknown" -> builder.retryUnknown(value.getAsBoolean());
                case "allowHttp" -> builder.allowHttp(value.getAsBoolean());
                case "proxy" -> builder.proxy(value.getAsString());
                case "caBundle" -> builder.caBundle(Path.of(value.getAsString()));
                case "clientCertificate" -> builder.clientCertificate(Path.of(value.getAsString()));
                case "userAgent" -> builder.userAgent(value.getAsString());
                case "jsonLimit" -> builder.jsonLimit(value.getAsLong());
                case "headers" -> members(changes, "headers").forEach(header ->
                        builder.header(header.getKey(), header.getValue().getAsString()));
                case "environment" -> { }
                default -> throw new IllegalArgumentException("unknown setting " + setting.getKey());
            }
        }
    }

    private JsonObject started(Operation now) {
        if (operation != null && operation != now) {
            operation.close();
        }
        operation = now;
        notes.add(now.toString());
        JsonObject ok = Reports.of("operationId", now.id());
        ok.addProperty("operation", now.name());
        ok.addProperty("operationType", now.type());
        return ok;
    }

    /** What is done with a source, which is open meanwhile. */
    private interface Use<T> {
        T use(Source source);
    }

    private <T> T withSource(JsonObject call, Use<T> use) {
        String from = text(call, "from");
        switch (from) {
            case "operation":
                return use.use(Source.of(operation));
            case "result":
                return use.use(Source.of(result));
            case "path":
                String path = text(call, "file");
                boolean isAddress = path.toLowerCase(Locale.ROOT).startsWith("http");
                return use.use(isAddress ? Source.url(path) : Source.of(Path.of(path)));
            case "fileId":
                return use.use(Source.of(new FileId(text(call, "fileId"))));
            default:
                break;
        }
        Path file = Path.of(text(call, "file"));
        String name = text(call, "name");
        try (InputStream stream = Files.newInputStream(file)) {
            return switch (from) {
                case "bytes" -> use.use(Source.of(stream.readAllBytes(), name));
                case "sizedReader" -> use.use(Source.of(stream, name, Files.size(file)));
                default -> use.use(Source.of(stream, name));
            };
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private static JsonObject written(JsonObject call, byte[] bytes) {
        try {
            Files.write(Path.of(text(call, "to")), bytes);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        return Reports.of("bytes", new JsonPrimitive(bytes.length));
    }

    private static Duration milliseconds(JsonElement value) {
        return Duration.ofMillis(value.getAsLong());
    }

    private static boolean isTrue(JsonObject object, String name) {
        return object.has(name) && object.get(name).getAsBoolean();
    }

    private static String text(JsonObject object, String name) {
        JsonElement value = object.get(name);
        return value == null || value == JsonNull.INSTANCE ? null : value.getAsString();
    }

    private static Iterable<Map.Entry<String, JsonElement>> members(JsonObject object, String name) {
        return object.has(name) ? object.getAsJsonObject(name).entrySet() : List.of();
    }
}
