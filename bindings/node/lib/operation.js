// A started operation: waiting for its result, and saving or reading it.
'use strict';
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const native = require('./native.js');
const { Call } = require('./call.js');
const { Result, taken } = require('./result.js');

/**
 * The client of each operation. It must not be collected before: when a worker or the process ends, the addon ends running
 * calls by closing their clients.
 */
const clients = new WeakMap();

class Operation {
  #handle;

  /** @param {unknown} handle @param {unknown} client */
  constructor(handle, client) {
    clients.set(this, client);
    this.#handle = handle;
    this.id = native.operation_id(handle);
    this.name = native.operation_name(handle);
    this.type = native.operation_type(handle);
    this.requestId = native.operation_request_id(handle) ?? undefined;
  }

  /** For other files of this package. @param {Operation} operation */
  static handleOf(operation) {
    return operation.#handle;
  }

  get token() {
    return native.operation_token(this.#handle);
  }

  keep() {
    native.operation_keep(this.#handle);
  }

  /** @param {object} [settings] */
  async status(settings) {
    return new Call(settings).run((call) => native.operation_status(this.#handle, call));
  }

  /** @param {object} [settings] */
  async wait(settings) {
    const handle = await new Call(settings).run((call) => native.operation_wait(this.#handle, call));
    return taken(handle, (result) => new Result(result));
  }

  /** @param {string} path @param {object} [settings] */
  async save(path, settings) {
    return new Call(settings).run((call) => native.operation_save(this.#handle, path, call));
  }

  /** @param {object} [settings] */
  async read(settings) {
    return new Call(settings).run((call) => native.operation_read(this.#handle, call));
  }

  /** @param {object} [settings] */
  stream(settings) {
    return streamOf(this.#handle, settings);
  }

  /** @param {NodeJS.WritableStream} target @param {object} [settings] */
  async pipeTo(target, settings) {
    await pipeline(this.stream(settings), target);
  }

  /** @param {object} [settings] */
  async delete(settings) {
    await new Call(settings).run((call) => native.operation_delete(this.#handle, call));
  }

  free() {
    native.free(this.#handle);
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    this.free();
  }
}

/** The result file as a stream. The download starts with the first read, and is no faster than the reader. */
function streamOf(/** @type {unknown} */ operation, /** @type {object | undefined} */ settings) {
  const call = new Call(settings, true);
  /** @type {number | undefined} */
  let asked;
  let isStarted = false;
  const proceed = (/** @type {number} */ answer) => {
    if (asked !== undefined) native.answer(asked, answer);
    asked = undefined;
  };
  call.onStop(() => proceed(-1));
  const stream = new Readable({
    read() {
      proceed(0);
      if (isStarted) return;
      isStarted = true;
      call
        .run((handle) => native.operation_stream(operation, write, handle))
        .then(
          () => stream.push(null),
          (error) => stream.destroy(error),
        );
    },
    destroy(error, done) {
      if (isStarted) call.stop(error);
      else call.end();
      done(error);
    },
  });
  const write = (/** @type {number} */ ask, /** @type {Buffer} */ chunk) => {
    asked = ask;
    if (stream.destroyed || call.isStopped) proceed(-1);
    else if (stream.push(chunk)) proceed(0);
  };
  return stream;
}

/** The promise of an operation, with the methods of the operation. */
class StartedOperation extends Promise {
  static get [Symbol.species]() {
    return Promise;
  }

  /** @param {object} [settings] */
  wait(settings) {
    return this.then((operation) => operation.wait(settings));
  }

  /** @param {string} path @param {object} [settings] */
  save(path, settings) {
    return this.then((operation) => operation.save(path, settings));
  }

  /** @param {object} [settings] */
  read(settings) {
    return this.then((operation) => operation.read(settings));
  }

  /** @param {NodeJS.WritableStream} target @param {object} [settings] */
  pipeTo(target, settings) {
    return this.then((operation) => operation.pipeTo(target, settings));
  }

  /** @param {object} [settings] */
  stream(settings) {
    return Readable.from(chunksOf(this, settings), { objectMode: false });
  }
}

/** @param {Promise<Operation>} started @param {object} [settings] */
async function* chunksOf(started, settings) {
  yield* (await started).stream(settings);
}

module.exports = { Operation, StartedOperation };
