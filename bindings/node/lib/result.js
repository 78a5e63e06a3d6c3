// The result of an operation, and the record of a file.
'use strict';
const native = require('./native.js');

/** The address of a result is a secret: it is not enumerable, so that no log shows it. */
function hidden(/** @type {object} */ of, /** @type {string} */ name, /** @type {unknown} */ value) {
  return Object.defineProperty(of, name, { value, enumerable: false });
}

class Result {
  /** @param {unknown} handle */
  constructor(handle) {
    this.operationType = native.result_operation_type(handle);
    this.status = native.result_status(handle);
    this.requestId = native.result_request_id(handle) ?? undefined;
    this.output = outputOf(handle);
    this.validation = validationOf(handle);
    hidden(this, 'json', native.result_json(handle));
  }
}

/** @param {unknown} handle */
function outputOf(handle) {
  if (!native.result_has_output(handle)) return null;
  const output = { fileId: native.result_output_file_id(handle), name: native.result_output_name(handle) };
  return hidden(output, 'url', native.result_output_url(handle));
}

/** @param {unknown} handle */
function validationOf(handle) {
  if (!native.result_has_validation(handle)) return null;
  const count = native.result_error_count(handle);
  const conforms = native.result_is_conforming(handle);
  return {
    isConforming: conforms < 0 ? null : conforms === 1,
    conformance: native.result_conformance(handle),
    errors: Array.from({ length: count }, (_, at) => native.result_error_at(handle, at)),
  };
}

/** @param {unknown} handle */
function fileOf(handle) {
  return {
    id: native.file_id(handle),
    name: native.file_name(handle),
    extension: native.file_extension(handle),
    origin: native.file_origin(handle),
    createdAt: native.file_created_at(handle),
  };
}

/** Converts a handle that is not needed afterwards. @template T @param {unknown} handle @param {(of: unknown) => T} convert */
function taken(handle, convert) {
  try {
    return convert(handle);
  } finally {
    native.free(handle);
  }
}

/** @param {unknown} list */
function filesOf(list) {
  return Array.from({ length: native.file_list_count(list) }, (_, at) => fileOf(native.file_list_at(list, at)));
}

module.exports = { Result, fileOf, filesOf, taken };
