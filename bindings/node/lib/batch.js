// A batch: one operation on many documents, several at the same time.
'use strict';
const native = require('./native.js');
const { Call, jsonOf } = require('./call.js');
const { each } = require('./config.js');
const errors = require('./errors.js');
const { Operation } = require('./operation.js');
const { Result, taken } = require('./result.js');
const { documentOf } = require('./sources.js');
const { BATCH_SETTINGS, OPERATIONS } = require('./tables.js');

/**
 * @param {() => Promise<unknown>} ready @param {string} operation @param {Iterable<any> | AsyncIterable<any>} sources
 * @param {Record<string, any>} settings
 */
async function* batch(ready, operation, sources, settings) {
  const { options, signal, timeoutMs, headers = {}, ...others } = settings;
  const handle = native.batch_new(await ready(), operation, jsonOf(options));
  const call = new Call({ signal, timeoutMs });
  try {
    each(BATCH_SETTINGS, others, (name, value) => native.batch_set(handle, name, value));
    for (const [name, value] of Object.entries(headers)) native.batch_set_header(handle, name, value);
    for await (const source of sources) add(handle, operation, source);
    for (;;) {
      const item = await native.batch_next(handle, call.handle);
      if (item === null) return;
      yield taken(item, itemOf);
    }
  } finally {
    call.end();
    native.free(handle);
  }
}

/** @param {unknown} handle @param {string} operation @param {any} source */
function add(handle, operation, source) {
  const accepts = Object.values(OPERATIONS).find((known) => known.name === operation)?.accepts ?? ['pdf'];
  const document = documentOf(source, accepts[0]);
  if ('path' in document) native.batch_add(handle, document.path);
  else if ('data' in document) native.batch_add_data(handle, document.data, document.name);
  else if ('fileId' in document) native.batch_add_file(handle, document.fileId);
  else if ('operation' in document) native.batch_add_operation(handle, Operation.handleOf(document.operation));
  else throw new TypeError('a batch takes no streams: give bytes or a path');
}

/** @param {unknown} item */
function itemOf(item) {
  const optional = (/** @type {unknown} */ handle, /** @type {(of: unknown) => unknown} */ convert) =>
    handle === null ? undefined : taken(handle, convert);
  return {
    index: native.batch_item_index(item),
    source: native.batch_item_source(item),
    path: native.batch_item_path(item) ?? undefined,
    operationId: native.batch_item_operation_id(item) ?? undefined,
    error: optional(native.batch_item_error(item), errors.errorOf),
    result: optional(native.batch_item_result(item), (result) => new Result(result)),
    isResumed: native.batch_item_is_resumed(item) === 1,
    leftBehind: optional(native.batch_item_left_behind(item), errors.errorOf),
  };
}

module.exports = { batch };
