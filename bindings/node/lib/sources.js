// The documents that a call takes: paths, addresses, bytes, streams, files in the service, results of operations.
'use strict';
const { fileURLToPath } = require('node:url');
const native = require('./native.js');

const EMPTY = Buffer.alloc(0);

/**
 * What a call of the library needs for a document.
 * @typedef {{ path: string }
 *   | { data: Uint8Array, name: string }
 *   | { stream: AsyncIterable<unknown> | Iterable<unknown>, name: string, length: number }
 *   | { fileId: string }
 *   | { operation: any }} Document
 */

/**
 * The document that a source stands for. `extension` names bytes that have no name.
 * @param {any} source @param {string} extension @returns {Document}
 */
function documentOf(source, extension) {
  const unnamed = `document.${extension}`;
  if (typeof source === 'string') return { path: source };
  if (source instanceof URL) return { path: source.protocol === 'file:' ? fileURLToPath(source) : source.href };
  const bytes = bytesOf(source);
  if (bytes) return { data: bytes, name: unnamed };
  if (source instanceof Blob) return ofBlob(source, unnamed);
  if (isIterable(source)) return { stream: source, name: unnamed, length: -1 };
  if (source && typeof source === 'object') {
    if (typeof source.fileId === 'string') return { fileId: source.fileId };
    if (typeof source.output?.fileId === 'string') return { fileId: source.output.fileId };
    if (typeof source.save === 'function' && typeof source.id === 'string') return { operation: source };
    if ('data' in source) return ofData(source, unnamed);
  }
  throw new TypeError(
    'a document must be a path, a URL, bytes, a Blob, a stream, { data, name }, { fileId }, an operation or a result',
  );
}

/** @param {{ data: any, name?: string, length?: number }} source @param {string} unnamed @returns {Document} */
function ofData(source, unnamed) {
  const name = source.name ?? unnamed;
  const bytes = bytesOf(source.data);
  if (bytes) return { data: bytes, name };
  if (source.data instanceof Blob) return ofBlob(source.data, name);
  if (isIterable(source.data)) return { stream: source.data, name, length: source.length ?? -1 };
  throw new TypeError('data must be bytes, a Blob or a stream');
}

/** @param {any} blob @param {string} unnamed @returns {Document} */
function ofBlob(blob, unnamed) {
  return { stream: blob.stream(), name: blob.name || unnamed, length: blob.size };
}

/** @param {unknown} value @returns {Uint8Array | undefined} */
function bytesOf(value) {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
  return undefined;
}

/** @param {any} value */
function isIterable(value) {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** Passes the chunks of a stream to the library, which asks for them on another thread. */
class Reader {
  #iterator;
  #rest = /** @type {Uint8Array} */ (EMPTY);
  /** @type {number | undefined} */
  #asked;
  #call;

  /** @param {any} stream @param {import('./call.js').Call} call */
  constructor(stream, call) {
    this.#iterator = stream[Symbol.asyncIterator]?.() ?? stream[Symbol.iterator]();
    this.#call = call;
    call.onStop(() => this.#answer(-1));
  }

  /** The read function of the library. @param {number} ask @param {number} size */
  read = (ask, size) => {
    this.#asked = ask;
    // The stop may have come while no question was open.
    if (this.#call.isStopped) this.#answer(-1);
    else this.#ask(size);
  };

  /** @param {number} size */
  #ask(size) {
    this.#next(size).then(
      (chunk) => this.#answer(chunk),
      (error) => this.#call.stop(error),
    );
  }

  /** @param {number} size */
  async #next(size) {
    while (!this.#rest.length) {
      const { done, value } = await this.#iterator.next();
      if (done) return EMPTY;
      const bytes = typeof value === 'string' ? Buffer.from(value) : bytesOf(value);
      if (!bytes) throw new TypeError('the chunks of a stream must be bytes or strings');
      this.#rest = bytes;
    }
    const chunk = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(chunk.length);
    return chunk;
  }

  /** @param {unknown} value */
  #answer(value) {
    if (this.#asked !== undefined) native.answer(this.#asked, value);
    this.#asked = undefined;
  }

  /** Ends a stream that was not read to its end. */
  end() {
    Promise.resolve(this.#iterator.return?.()).catch(() => {});
  }
}

module.exports = { documentOf, Reader };
