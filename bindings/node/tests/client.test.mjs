// The client with a service on the loopback interface: sources, streams, cancelling, errors, threads of JavaScript.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as recto from '../lib/index.mjs';
import { startLoopback } from './loopback.mjs';

const { Client } = recto;
const PDF = Buffer.from('%PDF-1.7 a document');
const SLOW = { data: PDF, name: 'slow.pdf' };
let service;
let client;
let folder;

before(async () => {
  service = await startLoopback();
  client = new Client({ baseUrl: service.baseUrl, apiKey: 'a-secret-key' });
  folder = await mkdtemp(join(tmpdir(), 'recto-node-'));
});

after(async () => {
  client.close();
  service.stop();
  await rm(folder, { recursive: true });
});

test('import and require give the same objects', () => {
  const required = createRequire(import.meta.url)('../lib/index.js');
  assert.deepEqual(Object.keys(recto).sort(), Object.keys(required).sort());
  for (const [name, value] of Object.entries(recto)) assert.equal(value, required[name]);
});

test('every kind of source is uploaded', async () => {
  const path = join(folder, 'source.pdf');
  await writeFile(path, PDF);
  const first = await client.optimize(path);
  const sources = {
    path,
    url: new URL(`file://${path}`),
    buffer: PDF,
    arrayBuffer: new Uint8Array(PDF).buffer,
    named: { data: PDF, name: 'a.pdf' },
    blob: new Blob([PDF]),
    readable: Readable.from([PDF, PDF]),
    web: new Blob([PDF]).stream(),
    sized: { data: Readable.from([PDF]), name: 'b.pdf', length: PDF.length },
    generator: (function* () {
      yield '%PDF-1.7';
      yield new Uint8Array(PDF);
    })(),
    file: { fileId: 'f1' },
    operation: first,
    promise: client.optimize(path),
    result: await first.wait(),
  };
  for (const [kind, source] of Object.entries(sources)) {
    assert.equal((await client.optimize(source).read()).length, 516, kind);
  }
  await assert.rejects(client.optimize(3), TypeError);
});

test('a result is saved, read, and streamed', async () => {
  const operation = await client.optimize(PDF);
  const path = join(folder, 'result.pdf');
  assert.equal(await operation.save(path), path);
  const bytes = await operation.read();
  assert.deepEqual(await readFile(path), bytes);
  assert.deepEqual(Buffer.concat(await operation.stream().toArray()), bytes);
  assert.deepEqual(Buffer.concat(await client.optimize(PDF).stream().toArray()), bytes);
  const chunks = [];
  const target = new Writable({ write: (chunk, _, done) => done(null, chunks.push(chunk)) });
  await client.optimize(PDF).pipeTo(target);
  assert.deepEqual(Buffer.concat(chunks), bytes);
});

test('a stream that is destroyed ends its call, and one that is not read makes none', async () => {
  const operation = await client.optimize(SLOW);
  operation.stream();
  const stream = operation.stream();
  stream.read();
  await delay(50);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
});

test('the event loop runs while calls wait, which only this test ends', async () => {
  const controller = new AbortController();
  const waits = Array.from({ length: 40 }, () => client.optimize(SLOW).wait({ signal: controller.signal }));
  const settled = Promise.allSettled(waits);
  for (let round = 0; round < 5; round += 1) {
    await delay(5);
    // Four waits would occupy the threads of libuv, and no file could be read.
    await readFile(new URL(import.meta.url));
  }
  controller.abort();
  for (const { reason } of await settled) assert.ok(reason instanceof recto.CancelledError, String(reason));
});

test('a signal cancels a call, also if it is aborted before', async () => {
  const controller = new AbortController();
  const waiting = (await client.optimize(SLOW)).wait({ signal: controller.signal });
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 20);
  const error = await waiting.catch((rejected) => rejected);
  assert.ok(error instanceof recto.CancelledError);
  assert.deepEqual([error.name, error.kind, error.cause], ['AbortError', 'Cancelled', reason]);
  await assert.rejects(client.optimize(PDF, {}, { signal: controller.signal }), recto.CancelledError);
  assert.equal((await client.optimize(PDF).read({ signal: new AbortController().signal })).length, 516);
});

test('progress is reported, and an error of the function ends the call with that error', async () => {
  const reports = [];
  await client.optimize(PDF, {}, { onProgress: (report) => reports.push(report) });
  assert.equal(reports[0].phase, 'upload');
  assert.equal(reports.at(-1).done, PDF.length);
  const failure = new RangeError('no more');
  const onProgress = () => {
    throw failure;
  };
  await assert.rejects(client.optimize(PDF, {}, { onProgress }), failure);
});

test('an error of a source stream is the error of the call', async () => {
  const failure = new Error('the disk is gone');
  let isEnded = false;
  const source = {
    async *[Symbol.asyncIterator]() {
      yield PDF;
      throw failure;
    },
  };
  await assert.rejects(client.optimize(source), failure);
  async function* endless() {
    try {
      for (;;) yield PDF;
    } finally {
      isEnded = true;
    }
  }
  const signal = AbortSignal.timeout(100);
  await assert.rejects(client.optimize(endless(), {}, { signal }), recto.CancelledError);
  await delay(10);
  assert.ok(isEnded, 'a stream that is not read to its end is ended');
});

test('a stalled source stream does not delay a cancel', async () => {
  const stalled = {
    async *[Symbol.asyncIterator]() {
      yield PDF;
      await new Promise(() => {});
    },
  };
  const started = performance.now();
  await assert.rejects(client.optimize(stalled, {}, { signal: AbortSignal.timeout(50) }), recto.CancelledError);
  assert.ok(performance.now() - started < 5_000);
});

test('invalid values are refused before anything is sent', async () => {
  const nobody = new Client({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
  await assert.rejects(nobody.optimize(PDF, { profile: 'tiny' }), recto.InvalidRequestError);
  await assert.rejects(nobody.optimize(PDF, { colour: 'red' }), /colour/);
  await assert.rejects(nobody.pdfToJpeg(PDF, { jpegQuality: Number.NaN }), TypeError);
  await assert.rejects(nobody.stampText(PDF, { text: 'a\0b' }), /./);
  await assert.rejects(nobody.optimize('a\0b.pdf'), TypeError);
  await assert.rejects(nobody.optimize('report.txt'), recto.InvalidRequestError);
  await assert.rejects(nobody.optimize(PDF, {}, { timeout: 3 }), /timeoutMs/);
  assert.throws(() => new Client({ colour: 'red' }), /unknown setting: colour/);
  assert.throws(() => new Client({ retries: 'many' }), recto.ConfigError);
  const error = await nobody.files.list().catch((rejected) => rejected);
  assert.ok(error instanceof recto.TransportError && error instanceof recto.RectoError && error instanceof Error);
  assert.deepEqual([error.kind, error.phase, error.retryable, error.attempts], ['TransportError', 'files', true, 1]);
  const missing = await nobody.optimize(join(folder, 'missing.pdf')).catch((rejected) => rejected);
  assert.ok(missing instanceof recto.IoError);
  nobody.close();
});

test('an operation is resumed by its token, and one that does not end has a token in its error', async () => {
  const operation = await client.optimize(SLOW);
  const error = await operation.wait({ waitTimeoutMs: 1 }).catch((rejected) => rejected);
  assert.ok(error instanceof recto.WaitTimeoutError);
  const resumed = await client.resume(error.token);
  assert.deepEqual([resumed.id, resumed.name], [operation.id, 'optimize']);
  assert.equal(operation.token.includes('a-secret-key'), false);
  assert.equal(await resumed.status(), 'inProgress');
});

test('a handle that was freed is refused, and freeing it again does nothing', async () => {
  const operation = await client.optimize(PDF);
  const reading = operation.read();
  operation.free();
  operation.free();
  assert.equal((await reading).length, 516, 'a running call keeps the handle');
  await assert.rejects(operation.read(), TypeError);
});

test('a closed client ends its calls and refuses others; a copy has other settings', async () => {
  const other = new Client({ baseUrl: service.baseUrl, apiKey: 'key' });
  const copy = other.with({ timeoutMs: 50, retries: 0 });
  const operation = await copy.optimize(SLOW, {}, { timeoutMs: 30_000 });
  await assert.rejects(operation.wait(), recto.WaitTimeoutError, 'the time limit of the copy');
  const waiting = operation.wait({ timeoutMs: 30_000 });
  setTimeout(() => other.close(), 20);
  await assert.rejects(waiting, recto.CancelledError);
  await assert.rejects(other.files.list(), recto.ConfigError);
  other.close();
});

test('no log line and no shown object has a key or an address with a secret', async () => {
  const lines = [];
  const logged = new Client({
    baseUrl: service.baseUrl,
    apiKey: 'a-secret-key',
    log: (level, message) => lines.push(`${level} ${message}`),
    logLevel: 'trace',
  });
  const result = await logged.optimize(PDF).wait();
  await delay(10);
  assert.ok(lines.some((line) => line.startsWith('debug ')));
  assert.equal(lines.join('\n').includes('a-secret-key'), false);
  assert.equal(JSON.stringify(result).includes('/get/'), false);
  assert.ok(result.output.url.includes('/get/'));
  logged.close();
});

test('a batch returns each document, and failures as items', async () => {
  const sources = [PDF, { data: PDF, name: 'b.pdf' }, join(folder, 'missing.pdf'), { fileId: 'f1' }];
  const items = [];
  const to = join(folder, 'batch');
  for await (const item of client.batch('optimize', sources, { to, options: { profile: 'web' } })) items.push(item);
  items.sort((a, b) => a.index - b.index);
  assert.deepEqual(
    items.map((item) => item.error?.kind),
    [undefined, undefined, 'IoError', undefined],
  );
  assert.equal((await readFile(items[1].path)).length, 516);
  for await (const item of client.batch('optimize', [PDF, PDF, PDF])) {
    assert.equal(item.error, undefined);
    break;
  }
  await assert.rejects(client.batch('optimize', [PDF], { colour: 'red' }).next(), /unknown setting/);
});

test('workers use the package, and one that is terminated ends its calls', async () => {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { Client } = require(workerData.path);
    const client = new Client({ baseUrl: workerData.baseUrl, apiKey: 'key' });
    const data = Buffer.from('%PDF-1.7');
    client.optimize(data).read()
      .then((bytes) => parentPort.postMessage(bytes.length))
      .then(() => Promise.all([1, 2, 3].map(() => client.optimize({ data, name: 'slow.pdf' }).wait())));`;
  const path = createRequire(import.meta.url).resolve('../lib/index.js');
  for (let round = 0; round < 3; round += 1) {
    const workerData = { path, baseUrl: service.baseUrl };
    const workers = [1, 2].map(() => new Worker(code, { eval: true, workerData }));
    const lengths = workers.map((worker) => new Promise((resolve) => worker.once('message', resolve)));
    assert.deepEqual(await Promise.all(lengths), [516, 516]);
    await delay(30);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  assert.equal((await client.optimize(PDF).read()).length, 516);
});

test('an idle client does not keep the process running, and a running call does not keep it from exiting', async () => {
  const path = JSON.stringify(createRequire(import.meta.url).resolve('../lib/index.js'));
  const start = `const { Client } = require(${path});
    const client = new Client({ baseUrl: '${service.baseUrl}', apiKey: 'key' });
    const slow = { data: Buffer.from('%PDF-1.7'), name: 'slow.pdf' };`;
  const run = (code) => promisify(execFile)(process.execPath, ['-e', start + code], { timeout: 60_000 });
  await run('client.files.list()');
  const { stdout } = await run(`client.optimize(slow).wait().catch(() => {});
    setTimeout(() => { console.log('leaving'); process.exit(); }, 100)`);
  assert.equal(stdout, 'leaving\n');
  const collected = await run(`
    require('node:v8').setFlagsFromString('--expose-gc');
    (async () => {
      const operation = await new Client({ baseUrl: '${service.baseUrl}', apiKey: 'key' }).optimize(slow);
      operation.wait().catch(() => {});
      for (let round = 0; round < 10; round += 1) {
        require('node:vm').runInNewContext('gc')();
        await new Promise(setImmediate);
      }
      console.log('leaving');
      process.exit();
    })()`);
  assert.equal(collected.stdout, 'leaving\n', 'the client of a running call is not collected');
});
