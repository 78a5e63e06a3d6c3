// The names of operations, settings, errors, phases and log levels. Generated from bindings/operations.json by bindings/generate/node.py: do not edit.
'use strict';

/**
 * The methods of a client: the name of the operation, and the extensions that it takes.
 * @type {Record<string, { name: string, accepts: string[] }>}
 */
exports.OPERATIONS = {
  optimize: { name: 'optimize', accepts: ['pdf'] },
  imageToPdf: { name: 'image-to-pdf', accepts: ['jpg', 'jpeg', 'png', 'tif', 'tiff'] },
  archivePdfa: { name: 'archive-pdfa', accepts: ['pdf'] },
  pdfToJpeg: { name: 'pdf-to-jpeg', accepts: ['pdf'] },
  pdfToPng: { name: 'pdf-to-png', accepts: ['pdf'] },
  pdfToTiff: { name: 'pdf-to-tiff', accepts: ['pdf'] },
  pdfToTiffFax: { name: 'pdf-to-tiff-fax', accepts: ['pdf'] },
  docToPdf: { name: 'doc-to-pdf', accepts: ['doc', 'docx', 'odt', 'rtf', 'wpd', 'txt'] },
  presentationToPdf: { name: 'presentation-to-pdf', accepts: ['ppt', 'pptx', 'odp'] },
  spreadsheetToPdf: { name: 'spreadsheet-to-pdf', accepts: ['xls', 'xlsx', 'ods', 'csv'] },
  encrypt: { name: 'encrypt', accepts: ['pdf'] },
  decrypt: { name: 'decrypt', accepts: ['pdf'] },
  stampText: { name: 'stamp-text', accepts: ['pdf'] },
  stampWatermark: { name: 'stamp-watermark', accepts: ['pdf'] },
  stampBarcode: { name: 'stamp-barcode', accepts: ['pdf'] },
  stampDataMatrix: { name: 'stamp-data-matrix', accepts: ['pdf'] },
  stampQr: { name: 'stamp-qr', accepts: ['pdf'] },
  validate: { name: 'validate', accepts: ['pdf'] },
  powerArchive: { name: 'power-archive', accepts: ['pdf'] },
};

/** @type {Record<string, string>} */
exports.SETTINGS = {
  baseUrl: 'base_url',
  apiKey: 'api_key',
  timeoutMs: 'timeout_ms',
  connectTimeoutMs: 'connect_timeout_ms',
  stallTimeoutMs: 'stall_timeout_ms',
  waitTimeoutMs: 'wait_timeout_ms',
  retries: 'retries',
  retryUnknown: 'retry_unknown',
  allowHttp: 'allow_http',
  proxy: 'proxy',
  caBundle: 'ca_bundle',
  clientCertificate: 'client_certificate',
  userAgent: 'user_agent',
  jsonLimit: 'json_limit',
  environment: 'environment',
  isolation: 'isolation',
  worker: 'worker',
  workers: 'workers',
  workerMemory: 'worker_memory',
  inProcessBytes: 'in_process_bytes',
  storedBytes: 'stored_bytes',
  retentionMs: 'retention_ms',
  dataDir: 'data_dir',
  keepFiles: 'keep_files',
};

/** @type {Record<string, string>} */
exports.BATCH_SETTINGS = {
  to: 'to',
  overwrite: 'overwrite',
  relativeTo: 'relative_to',
  concurrency: 'concurrency',
  journal: 'journal',
  stopOnError: 'stop_on_error',
  deleteAfter: 'delete_after',
  force: 'force',
  extraOptions: 'extra_options',
};

/** @type {Record<string, string>} */
exports.LOCAL_SETTINGS = {
  port: 'port',
  apiKey: 'api_key',
  fetchPorts: 'fetch_ports',
  isolation: 'isolation',
  worker: 'worker',
  workers: 'workers',
  workerMemory: 'worker_memory',
  inProcessBytes: 'in_process_bytes',
  storedBytes: 'stored_bytes',
  retentionMs: 'retention_ms',
  dataDir: 'data_dir',
  allowPrivateUrls: 'allow_private_urls',
};

/**
 * The class and the kind of errors, by the status of the C interface.
 * @type {Record<string, [string, string]>}
 */
exports.ERRORS = {
  '-3': ['ConfigError', 'ConfigError'],
  '-2': ['InvalidRequestError', 'InvalidRequest'],
  '-4': ['AuthError', 'AuthError'],
  '-5': ['PermissionDeniedError', 'PermissionDenied'],
  '-6': ['NotFoundError', 'NotFound'],
  '-7': ['RateLimitedError', 'RateLimited'],
  '-8': ['PayloadTooLargeError', 'PayloadTooLarge'],
  '-9': ['ServerError', 'ServerError'],
  '-10': ['TransportError', 'TransportError'],
  '-11': ['RequestTimeoutError', 'RequestTimeout'],
  '-12': ['WaitTimeoutError', 'WaitTimeout'],
  '-13': ['OperationFailedError', 'OperationFailed'],
  '-14': ['OutcomeUnknownError', 'OutcomeUnknown'],
  '-15': ['ProtocolError', 'ProtocolError'],
  '-16': ['CancelledError', 'Cancelled'],
  '-17': ['IoError', 'IoError'],
};

/** @type {Record<string, number>} */
exports.LOG_LEVELS = {
  error: 1,
  warn: 2,
  info: 3,
  debug: 4,
  trace: 5,
};

/** @type {Record<string, string>} */
exports.PHASES = {
  1: 'configure',
  2: 'upload',
  3: 'start',
  4: 'wait',
  5: 'download',
  6: 'files',
};
