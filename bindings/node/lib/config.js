// Settings of clients, batches and local services, from JavaScript's names and values to those of the library.
'use strict';
const native = require('./native.js');
const { limit } = require('./call.js');
const { LOG_LEVELS, SETTINGS } = require('./tables.js');

/**
 * Passes each setting that is given to `set`, with the library's name and the value as text.
 * @param {Record<string, string>} names @param {Record<string, any>} settings
 * @param {(name: string, value: string) => void} set
 */
function each(names, settings, set) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(names, name)) {
      throw new TypeError(`unknown setting: ${name}; the settings are ${Object.keys(names).join(', ')}`);
    }
    set(names[name], textOf(value));
  }
}

/** @param {any} value */
function textOf(value) {
  if (typeof value === 'number') return String(limit(value));
  return typeof value === 'object' && !(value instanceof URL) ? JSON.stringify(value) : String(value);
}

/** The configuration of a client, which the caller frees. @param {Record<string, any>} settings */
function configOf(settings) {
  const { headers = {}, log, logLevel = 'debug', ...others } = settings;
  const config = native.config_new();
  try {
    each(SETTINGS, others, (name, value) => native.config_set(config, name, value));
    for (const [name, value] of Object.entries(headers)) native.config_set_header(config, name, value);
    if (log) setLog(config, log, logLevel);
    return config;
  } catch (error) {
    native.free(config);
    throw error;
  }
}

/** @param {unknown} config @param {(level: string, message: string) => void} log @param {string} logLevel */
function setLog(config, log, logLevel) {
  if (!Object.hasOwn(LOG_LEVELS, logLevel)) {
    throw new TypeError(`unknown log level: ${logLevel}; the levels are ${Object.keys(LOG_LEVELS).join(', ')}`);
  }
  const names = Object.keys(LOG_LEVELS);
  native.config_set_log(config, LOG_LEVELS[logLevel], (/** @type {number} */ level, /** @type {string} */ message) => {
    try {
      log(names[level - 1] ?? 'trace', message);
    } catch (error) {
      // An error of the log function is one of the program, as in any event handler.
      queueMicrotask(() => {
        throw error;
      });
    }
  });
}

module.exports = { configOf, each };
