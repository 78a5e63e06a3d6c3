// Compresses a PDF from Node.js: node compress.js IN.pdf OUT.pdf
//
//     npm install koffi                        If the library is not installed: LIBRECTO=/path/to/librecto.so
'use strict';
const koffi = require('koffi');

const library = koffi.load(process.env.LIBRECTO || 'librecto.so.0.1');
for (const type of ['client', 'operation', 'error']) koffi.opaque(`recto_${type}`);
const clientNew = library.func(
  'int32_t recto_client_new(const void *config, _Out_ recto_client **out, _Out_ recto_error **err)');
const startPath = library.func(
  'int32_t recto_start_path(recto_client *client, const char *operation, const char *path, const char *options, ' +
  'const void *call, _Out_ recto_operation **out, _Out_ recto_error **err)');
const save = library.func(
  'int32_t recto_operation_save(recto_operation *operation, const char *path, const void *call, void *saved, ' +
  '_Out_ recto_error **err)');
const message = library.func('const char *recto_error_message(recto_error *error)');
const free = Object.fromEntries(['client', 'operation', 'error'].map(
  (type) => [type, library.func(`void recto_${type}_free(recto_${type} *handle)`)]));

// Makes a call on a thread of koffi, so that it does not block Node. The promise is rejected if the call fails.
function call(native, ...given) {
  const error = [null];
  return new Promise((resolve, reject) => {
    native.async(...given, error, (fault, status) => {
      if (!fault && status >= 0) return resolve();
      reject(fault || new Error(message(error[0])));
      free.error(error[0]);
    });
  });
}

async function compress(source, target) {
  const client = [null], operation = [null];
  try {
    await call(clientNew, null, client);
    await call(startPath, client[0], 'optimize', source, JSON.stringify({ profile: 'web' }), null, operation);
    await call(save, operation[0], target, null, null);
  } finally {
    free.operation(operation[0]);
    free.client(client[0]);
  }
}

const [source, target] = process.argv.slice(2);
compress(source, target).then(
  () => console.log(target),
  (error) => {
    console.error(`${source}: ${error.message}`);
    process.exitCode = 1;
  });
