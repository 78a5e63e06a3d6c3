// A local service, for other programs and machines, or for clients with their own settings.
'use strict';
const native = require('./native.js');
const { configOf } = require('./config.js');
const { LOCAL_SETTINGS } = require('./tables.js');

class LocalService {
  #handle;
  /** @type {Promise<void> | undefined} */
  #closed;

  /** @param {unknown} handle */
  constructor(handle) {
    this.#handle = handle;
    this.baseUrl = native.local_base_url(handle);
    // Not enumerable, so that no log shows it.
    Object.defineProperty(this, 'apiKey', { value: native.local_api_key(handle), enumerable: false });
  }

  /** @param {Record<string, any>} [settings] */
  static async start(settings = {}) {
    const { log, logLevel, ...others } = settings;
    const options = JSON.stringify(namesOf(others));
    if (!log) return new LocalService(await native.local_start(options));
    const config = configOf({ log, logLevel });
    return native
      .local_start_logged(options, config)
      .then((/** @type {unknown} */ handle) => new LocalService(handle))
      .finally(() => native.free(config));
  }

  close() {
    this.#closed ??= native.free_and_wait(this.#handle);
    return this.#closed;
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    await this.close();
  }
}

/** The settings under the names of the library. @param {Record<string, any>} settings */
function namesOf(settings) {
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(LOCAL_SETTINGS, name));
  if (unknown.length)
    throw new TypeError(`unknown setting: ${unknown}; the settings are ${Object.keys(LOCAL_SETTINGS)}`);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [LOCAL_SETTINGS[name], value]));
}

module.exports = { LocalService };
