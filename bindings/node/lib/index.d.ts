// The types of the package. Those that follow from the table of operations are in types.d.ts.

import type { Blob } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import type {
  BatchSettings,
  CopySettings,
  ErrorKind,
  LocalSettings,
  LogLevel,
  Operations,
  OptionsOf,
  OwnSettings,
  Phase,
} from './types';

export * from './types';

/** Bytes in memory, copied when the call starts. */
export type Bytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** A stream or another source of chunks, such as a `Readable` or a `ReadableStream`. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * A document: a path, an address that the service downloads, bytes, a `Blob` or `File`, a stream, a file in the service,
 * or the result of another operation. With `name`, bytes and streams have a name, whose extension is their format. With
 * `length`, a stream is sent as it is read; otherwise it is first written to a temporary file.
 */
export type Source =
  | string
  | URL
  | Bytes
  | Blob
  | Chunks
  | { data: Bytes | Blob; name?: string }
  | { data: Chunks; name?: string; length?: number }
  | { fileId: string }
  | Operation
  | PromiseLike<Operation>
  | Result;

/** A report of the progress of a call. `done` and `total` are bytes; `total` is `null` if it is not known. */
export interface Progress {
  phase: Phase;
  done: number;
  total: number | null;
}

/** The settings of one call. */
export interface CallSettings {
  /** Cancels the call: it is rejected with `CancelledError`, whose `name` is `AbortError`, within 50 ms. */
  signal?: AbortSignal;
  /** The time limit of the whole call: upload, start, wait, download and retries. `Infinity` for no limit. */
  timeoutMs?: number;
  /** The time limit for waiting for the operation: 0 checks once, `Infinity` waits without a limit. */
  waitTimeoutMs?: number;
  /** Sends a document even if the operation does not take its extension. */
  force?: boolean;
  /** Whether a result may replace an existing file. Default: true. */
  overwrite?: boolean;
  /** Deletes the files of the operation from the service after the result was saved or read. */
  deleteAfter?: boolean;
  /** Headers of the requests of this call to the service, such as `traceparent`. */
  headers?: Record<string, string>;
  /** Options that this version does not know, which are sent without a check. */
  extraOptions?: object;
  /** Takes operations that this version does not know, by the end of their endpoint: `convert/pdf-to-webp`. */
  unchecked?: boolean;
  /**
   * Is called at the beginning and the end of each phase, and at most every 50 ms in between. If it throws, the call
   * ends, and is rejected with that error.
   */
  onProgress?: (progress: Progress) => void;
}

/** The settings of a client. What is not set is taken from RECTO_BASE_URL, RECTO_API_KEY and RECTO_TIMEOUT. */
export interface ClientSettings extends OwnSettings, CopySettings, Logging {
  /** Headers of every request to the service. */
  headers?: Record<string, string>;
}

/** A function that receives log lines. They contain no key, no password and no query of a signed address. */
export interface Logging {
  log?: (level: LogLevel, message: string) => void;
  /** The most verbose level that is logged. Default: `debug`. */
  logLevel?: LogLevel;
}

/**
 * A client of the service; without a base URL, of a service that runs in this process, so that no document leaves the
 * machine. It has a method for each operation, such as `optimize`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see below
export class Client {
  constructor(settings?: ClientSettings);
  /** The files of the service. */
  readonly files: Files;
  /** The address of the service, once the client is ready; otherwise `null`. */
  readonly baseUrl: string | null;
  /** Starts the embedded service, or checks the settings, before the first call. No request is sent. */
  ready(): Promise<this>;
  /** A copy with other settings, which shares the connections. Closing one of the two closes both. */
  with(settings: CopySettings & Logging & { headers?: Record<string, string> }): Client;
  /** Starts an operation by its name, such as `stamp-qr`. */
  start<Name extends keyof OptionsOf>(
    operation: Name,
    source: Source,
    options?: OptionsOf[Name],
    call?: CallSettings,
  ): StartedOperation;
  start(operation: string, source: Source, options?: object, call?: CallSettings): StartedOperation;
  /** An operation that was started before, possibly by another process. No request is sent. */
  resume(token: string): Promise<Operation>;
  /** Runs one operation on many documents. Ending the loop ends the batch. A document that fails is an item with `error`. */
  batch<Name extends keyof OptionsOf>(
    operation: Name,
    sources: Iterable<Source> | AsyncIterable<Source>,
    settings?: ClientBatchSettings<OptionsOf[Name]>,
  ): AsyncGenerator<BatchItem, void, undefined>;
  /** Ends the running calls within 50 ms, and refuses later ones. Operations continue in the service. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

// client.js adds the methods from the table of operations.
export interface Client extends Operations {}

/** The settings of a batch, and the options of its operation. */
export interface ClientBatchSettings<Options> extends Omit<BatchSettings, 'extraOptions'> {
  options?: Options;
  extraOptions?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The time limit of the whole batch. */
  timeoutMs?: number;
}

/** One document of a batch, with its outcome. */
export interface BatchItem {
  /** The position of the document among the sources, counted from 0. */
  index: number;
  /** The document: its path, its address without the query, or its name. */
  source: string;
  /** Why the document failed. */
  error?: RectoError;
  /** The path of the result file. */
  path?: string;
  operationId?: string;
  /** The result, unless the document was finished in an earlier run. */
  result?: Result;
  /** Whether the document was finished in an earlier run with the same journal. */
  isResumed: boolean;
  /** With `deleteAfter`: why files of the document could not be deleted from the service. */
  leftBehind?: RectoError;
}

/** The files of the service. */
export interface Files {
  /** Uploads a document, and returns its identifier. */
  upload(source: Source, call?: CallSettings): Promise<string>;
  /** Makes the service download a document, and returns its identifier. */
  uploadUrl(url: string | URL, call?: CallSettings): Promise<string>;
  /** Lists the active files: uploads and results, or only results. */
  list(call?: CallSettings & { onlyResultFiles?: boolean }): Promise<FileRecord[]>;
  get(fileId: string, call?: CallSettings): Promise<FileRecord>;
  /** Deletes a file, and returns the files that the response lists. */
  delete(fileId: string, call?: CallSettings): Promise<FileRecord[]>;
}

/** The record of a file in the service. A field that the response does not have is `null`. */
export interface FileRecord {
  id: string;
  name: string | null;
  /** Without the dot. */
  extension: string | null;
  /** How the file was created in the service, such as `fromUrl`. */
  origin: string | null;
  /** ISO 8601, UTC. */
  createdAt: string | null;
}

/** What a started operation and its promise have in common. */
interface ResultMethods {
  /** Waits until the operation has ended. */
  wait(call?: CallSettings): Promise<Result>;
  /**
   * Waits, and saves the result file; returns its path. A file appears only when it is complete. In a directory, it has
   * the name of the source.
   */
  save(path: string, call?: CallSettings): Promise<string>;
  /** Waits, and returns the bytes of the result file. */
  read(call?: CallSettings): Promise<Buffer>;
  /** Waits, and passes on the bytes of the result file; no faster than they are read. Destroying it ends the call. */
  stream(call?: CallSettings): Readable;
  /** Waits, and writes the result file to a stream, which it ends. */
  pipeTo(target: Writable, call?: CallSettings): Promise<void>;
}

/** The promise of a started operation: `await client.optimize(…).save(…)`. */
export interface StartedOperation extends Promise<Operation>, ResultMethods {}

/** A started operation. */
export class Operation implements ResultMethods {
  private constructor();
  /** The identifier in the service. */
  readonly id: string;
  /** Such as `stamp-qr`. */
  readonly name: string;
  /** As in the response of the service, such as `stampQR`. */
  readonly type: string;
  /** The identifier under which the service logged the request that started the operation. */
  readonly requestId?: string;
  /** Resumes the operation, also in another process: `client.resume(token)`. It contains no key. */
  readonly token: string;
  /** Requests the status once, such as `inProgress` or `finished`. */
  status(call?: CallSettings): Promise<string>;
  wait(call?: CallSettings): Promise<Result>;
  save(path: string, call?: CallSettings): Promise<string>;
  read(call?: CallSettings): Promise<Buffer>;
  stream(call?: CallSettings): Readable;
  pipeTo(target: Writable, call?: CallSettings): Promise<void>;
  /** Deletes from the service the result file, and the document if this operation uploaded it. */
  delete(call?: CallSettings): Promise<void>;
  /** Keeps the files in the embedded service until they expire, also after the handle is freed. */
  keep(): void;
  /** Frees the handle now instead of when it is collected. The operation continues in the service. */
  free(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The result of an operation: a result file or a validation report. */
export class Result {
  private constructor();
  readonly operationType: string;
  /** Such as `finished`. */
  readonly status: string;
  readonly requestId?: string;
  /** The result file. `url` gives access to it: it is a secret, and is not enumerable. */
  readonly output: { readonly fileId: string; readonly name: string | null; readonly url: string } | null;
  /** The validation report. */
  readonly validation: {
    readonly isConforming: boolean | null;
    /** The conformance level that the document declares, such as `pdf15`. */
    readonly conformance: string | null;
    readonly errors: readonly string[];
  } | null;
  /** The whole response of the service, which may contain the address of the result file. Not enumerable. */
  readonly json: string;
}

/** A service on this machine, for other programs, or for clients with their own settings. */
export class LocalService {
  private constructor();
  static start(settings?: LocalSettings & Logging): Promise<LocalService>;
  readonly baseUrl: string;
  /** Not enumerable. */
  readonly apiKey: string;
  /** Stops the service: aborts its operations and removes its files. Resolves when the service has ended. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The version of the C library. */
export const version: string;
/** Whether the C library has a feature, such as `local`: the embedded service. */
export function hasFeature(name: string): boolean;

/**
 * The base of all errors of Recto. `message` says what happened and what to do next. A field that is not known is
 * `undefined`. No message and no field contains a key, a password or the query of a signed address.
 */
export class RectoError extends Error {
  constructor(message: string, fields?: Partial<RectoError>);
  /** The kind of error, the same in all languages. */
  readonly kind: ErrorKind;
  /** The HTTP status of the response. */
  readonly status?: number;
  /** The code of the service, such as `file_not_found`. */
  readonly code?: string;
  /** The title that the service gives to this kind of error. */
  readonly title?: string;
  /** The service's explanation of this error. */
  readonly detail?: string;
  /** The identifier under which the service logged the request. */
  readonly requestId?: string;
  /** The identifier of the operation. */
  readonly operationId?: string;
  /** The document: its path, its name, or `file` and its identifier. */
  readonly document?: string;
  /** How many requests were made. */
  readonly attempts?: number;
  /** How long the service asks to wait before the next request. */
  readonly retryAfterMs?: number;
  /** The phase of the call in which the error happened. */
  readonly phase?: Phase;
  /** The HTTP method of the request. */
  readonly method?: string;
  /** The address of the request, without its query. */
  readonly url?: string;
  /** The beginning of the body of the response. */
  readonly body?: string;
  /** Of a `WaitTimeoutError`: the token that resumes the operation, `client.resume(token)`. */
  readonly token?: string;
  /** What to do next, which is also part of the message. */
  readonly advice?: string;
  /** Whether the same call can succeed later without a change. */
  readonly retryable: boolean;
}
