// The package: compresses, converts, stamps, protects, validates and archives documents.
'use strict';
const native = require('./native.js');
const { Client } = require('./client.js');
const { errorOf, ...errors } = require('./errors.js');
const { LocalService } = require('./local.js');
const { Operation } = require('./operation.js');
const { Result } = require('./result.js');

module.exports = {
  Client,
  LocalService,
  Operation,
  Result,
  ...errors,
  /** The version of the C library. */
  version: native.version_string(),
  /** @param {string} name */
  hasFeature: (name) => native.has_feature(name) === 1,
};
