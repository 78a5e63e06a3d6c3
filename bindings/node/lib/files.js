// The files of the service: uploading, listing, deleting.
'use strict';
const native = require('./native.js');
const { Call } = require('./call.js');
const { fileOf, filesOf, taken } = require('./result.js');
const { documentOf, Reader } = require('./sources.js');

class Files {
  #ready;

  /** @param {() => Promise<unknown>} ready */
  constructor(ready) {
    this.#ready = ready;
  }

  /** @param {any} source @param {object} [settings] @returns {Promise<string>} */
  async upload(source, settings) {
    const document = documentOf(source, 'pdf');
    const client = await this.#ready();
    const call = new Call(settings);
    if ('path' in document) return call.run((handle) => native.upload_path(client, document.path, handle));
    if ('data' in document) {
      return call.run((handle) => native.upload_data(client, document.data, document.name, handle));
    }
    if ('stream' in document) {
      const reader = new Reader(document.stream, call);
      const { length, name } = document;
      return call
        .run((handle) => native.upload_stream(client, reader.read, length, name, handle))
        .finally(() => reader.end());
    }
    call.end();
    throw new TypeError('this document is in the service already');
  }

  /** @param {string | URL} url @param {object} [settings] @returns {Promise<string>} */
  async uploadUrl(url, settings) {
    const client = await this.#ready();
    return new Call(settings).run((call) => native.upload_url(client, String(url), call));
  }

  /** @param {{ onlyResultFiles?: boolean }} [settings] */
  async list(settings = {}) {
    const { onlyResultFiles = false, ...others } = settings;
    const client = await this.#ready();
    const list = await new Call(others).run((call) => native.file_list_get(client, Number(onlyResultFiles), call));
    return taken(list, filesOf);
  }

  /** @param {string} fileId @param {object} [settings] */
  async get(fileId, settings) {
    const client = await this.#ready();
    const file = await new Call(settings).run((call) => native.file_get(client, fileId, call));
    return taken(file, fileOf);
  }

  /** @param {string} fileId @param {object} [settings] */
  async delete(fileId, settings) {
    const client = await this.#ready();
    const list = await new Call(settings).run((call) => native.file_delete(client, fileId, call));
    return taken(list, filesOf);
  }
}

module.exports = { Files };
