// The package for `import`: the same objects as those of `require('recto')`. Generated from bindings/operations.json by bindings/generate/node.py: do not edit.
import recto from './index.js';

export const {
  AuthError,
  CancelledError,
  Client,
  ConfigError,
  InvalidRequestError,
  IoError,
  LocalService,
  NotFoundError,
  Operation,
  OperationFailedError,
  OutcomeUnknownError,
  PayloadTooLargeError,
  PermissionDeniedError,
  ProtocolError,
  RateLimitedError,
  RectoError,
  RequestTimeoutError,
  Result,
  ServerError,
  TransportError,
  WaitTimeoutError,
  hasFeature,
  version,
} = recto;
