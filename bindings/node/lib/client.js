// The client: a method for each operation, files, batches. It is connected to the library with its first call.
'use strict';
const native = require('./native.js');
const { batch } = require('./batch.js');
const { Call, jsonOf } = require('./call.js');
const { configOf } = require('./config.js');
const errors = require('./errors.js');
const { Files } = require('./files.js');
const { Operation, StartedOperation } = require('./operation.js');
const { documentOf, Reader } = require('./sources.js');
const { OPERATIONS } = require('./tables.js');

class Client {
  /** @type {unknown} */
  #handle;
  /** Makes the handle of the library. @type {() => Promise<unknown>} */
  #connect;
  /** @type {Promise<unknown> | undefined} */
  #connecting;
  #isClosed = false;
  /** @type {Files} */
  files;

  /** @param {Record<string, any>} [settings] */
  constructor(settings = {}) {
    const config = configOf(settings);
    // Starting the embedded service takes a moment, so it is not done here, where it would block the event loop.
    this.#connect = () => native.client_new(config).finally(() => native.free(config));
    this.files = new Files(() => this.#ready());
  }

  #ready() {
    if (this.#isClosed) throw new errors.ConfigError('the client is closed; create a new one', { phase: 'configure' });
    this.#connecting ??= this.#connect().then((handle) => {
      this.#handle = handle;
      if (this.#isClosed) this.#release();
      return handle;
    });
    return this.#connecting;
  }

  async ready() {
    await this.#ready();
    return this;
  }

  get baseUrl() {
    return this.#handle && !this.#isClosed ? native.client_base_url(this.#handle) : null;
  }

  /** @param {Record<string, any>} settings */
  with(settings) {
    const config = configOf(settings);
    const copy = new Client({ environment: false });
    copy.#connect = async () => {
      try {
        return native.client_with(await this.#ready(), config);
      } finally {
        native.free(config);
      }
    };
    return copy;
  }

  /** @param {string} operation @param {any} source @param {object} [options] @param {any} [settings] */
  start(operation, source, options, settings) {
    const started = this.#start(operation, source, options, settings);
    return new StartedOperation((resolve, reject) => started.then(resolve, reject));
  }

  /** @param {string} operation @param {any} source @param {object | undefined} options @param {any} settings */
  async #start(operation, source, options, settings) {
    const accepts = Object.values(OPERATIONS).find((known) => known.name === operation)?.accepts ?? ['pdf'];
    const document = documentOf(await source, accepts[0]);
    const json = jsonOf(options);
    const client = await this.#ready();
    const call = new Call(settings);
    /** @type {Reader | undefined} */
    let reader;
    const handle = await call
      .run((/** @type {unknown} */ handle) => {
        if ('path' in document) return native.start_path(client, operation, document.path, json, handle);
        if ('fileId' in document) return native.start(client, operation, document.fileId, json, handle);
        if ('data' in document) {
          return native.start_data(client, operation, document.data, document.name, json, handle);
        }
        if ('operation' in document) {
          const previous = Operation.handleOf(document.operation);
          return native.start_chained(client, operation, previous, json, handle);
        }
        reader = new Reader(document.stream, call);
        return native.start_stream(client, operation, reader.read, document.length, document.name, json, handle);
      })
      .finally(() => reader?.end());
    return new Operation(handle, client);
  }

  /** @param {string} token */
  async resume(token) {
    const client = await this.#ready();
    return new Operation(native.resume(client, token), client);
  }

  /** @param {string} operation @param {Iterable<any> | AsyncIterable<any>} sources @param {Record<string, any>} [settings] */
  batch(operation, sources, settings = {}) {
    return batch(() => this.#ready(), operation, sources, settings);
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#handle) this.#release();
  }

  #release() {
    native.client_close(this.#handle);
    native.free(this.#handle);
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    this.close();
  }
}

for (const [method, { name }] of Object.entries(OPERATIONS)) {
  Object.defineProperty(Client.prototype, method, {
    /** @param {any} source @param {object} [options] @param {any} [settings] */
    value(source, options, settings) {
      return this.start(name, source, options, settings);
    },
    configurable: true,
    writable: true,
  });
}

module.exports = { Client };
