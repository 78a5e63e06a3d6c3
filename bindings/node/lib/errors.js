// The errors: a class for each kind. Their fields are read from the error of the C library.
'use strict';
const native = require('./native.js');
const { ERRORS, PHASES } = require('./tables.js');

class RectoError extends Error {
  /**
   * @param {string} message
   * @param {Record<string, unknown>} [fields]
   */
  constructor(message, fields = {}) {
    super(message);
    Object.assign(this, fields);
    this.retryable = fields.retryable === true;
  }
}

/** @type {Record<string, any>} */
const classes = { RectoError };
for (const [name, kind] of Object.values(ERRORS)) {
  classes[name] = { [name]: class extends RectoError {} }[name];
  define(classes[name].prototype, kind, name);
}
define(RectoError.prototype, 'Other', 'RectoError');
// What programs look for after they have aborted a call.
Object.defineProperty(classes.CancelledError.prototype, 'name', { value: 'AbortError' });

/**
 * @param {object} prototype
 * @param {string} kind
 * @param {string} name
 */
function define(prototype, kind, name) {
  Object.defineProperty(prototype, 'kind', { value: kind, enumerable: false });
  Object.defineProperty(prototype, 'name', { value: name, enumerable: false, configurable: true });
}

/** A value that is not known is left out. @param {unknown} value @param {unknown} unknown */
const known = (value, unknown) => (value === unknown ? undefined : value);

/** The error of JavaScript with the fields of an error of the library. */
function errorOf(/** @type {unknown} */ handle) {
  const fields = {
    status: known(native.error_http_status(handle), 0),
    code: known(native.error_code(handle), null),
    title: known(native.error_title(handle), null),
    detail: known(native.error_detail(handle), null),
    requestId: known(native.error_request_id(handle), null),
    operationId: known(native.error_operation_id(handle), null),
    document: known(native.error_document(handle), null),
    attempts: native.error_attempts(handle),
    retryAfterMs: known(native.error_retry_after_ms(handle), -1),
    phase: PHASES[native.error_phase(handle)],
    method: known(native.error_method(handle), null),
    url: known(native.error_url(handle), null),
    body: known(native.error_body(handle), null),
    token: known(native.error_token(handle), null),
    advice: known(native.error_advice(handle), null),
    retryable: native.error_is_retryable(handle) === 1,
  };
  const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const [name] = ERRORS[native.error_status(handle)] ?? ['RectoError'];
  return new classes[name](native.error_message(handle), present);
}

native.onError((/** @type {unknown} */ handle) => {
  try {
    return errorOf(handle);
  } finally {
    native.free(handle);
  }
});

module.exports = /** @type {Record<string, any>} */ ({ ...classes, errorOf });
