// Plays the shared suite of recorded exchanges (tests/recordings) through the package: recto-replay starts this program.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Client, RectoError } from '../lib/index.mjs';

const AT_ONCE = 12;

/** One scenario: the current client, operation, token, and everything that was logged. */
class Run {
  constructor(settings) {
    this.settings = settings;
    this.lines = [];
  }

  note(...values) {
    for (const value of values) this.lines.push(String(value), inspect(value, { depth: 5 }));
  }

  connect(baseUrl) {
    const { environment, ...settings } = this.settings;
    const log = (level, message) => this.lines.push(`${level} ${message}`);
    this.client = new Client({ ...settings, ...(baseUrl && { baseUrl }), log, logLevel: 'trace' });
    this.note(this.client);
  }

  async make(call) {
    const began = performance.now();
    const step = {};
    try {
      step.ok = (await this.attempt(call, step)) ?? {};
      this.note(this.client, this.operation);
    } catch (error) {
      step.error = this.errorOf(error);
    }
    step.elapsedMs = Math.round(performance.now() - began);
    return step;
  }

  errorOf(error) {
    this.note(error, error.stack);
    if (!(error instanceof RectoError)) return { kind: error.name, message: `${error.stack}`, fields: {} };
    if (error.token) this.token = error.token;
    return { kind: error.kind, message: error.message, fields: { ...error } };
  }

  async attempt(call, step) {
    if (!this.client && call.op !== 'newClient') this.connect();
    const stop = new AbortController();
    const settings = settingsOf(call, stop, step);
    const timers = [];
    if (call.cancelAfterMs !== undefined) timers.push(setTimeout(() => stop.abort(), call.cancelAfterMs));
    if (call.closeAfterMs !== undefined) timers.push(setTimeout(() => this.client.close(), call.closeAfterMs));
    try {
      return await CALLS[call.op](this, call, settings);
    } finally {
      timers.forEach(clearTimeout);
    }
  }

  begun(operation) {
    this.operation = operation;
    this.note(operation);
    return { operationId: operation.id, operation: operation.name, operationType: operation.type };
  }
}

function settingsOf(call, stop, step) {
  const settings = {};
  for (const name of ['timeoutMs', 'waitTimeoutMs', 'headers', 'force', 'extraOptions', 'deleteAfter', 'overwrite']) {
    if (call[name] !== undefined) settings[name] = call[name];
  }
  if (call.cancelAfterMs !== undefined || call.stopAtPhase) settings.signal = stop.signal;
  if (call.progress) step.progress = [];
  if (call.progress || call.stopAtPhase) {
    settings.onProgress = (report) => {
      step.progress?.push(report);
      if (report.phase === call.stopAtPhase) stop.abort();
    };
  }
  return settings;
}

async function sourceOf(run, call) {
  switch (call.from) {
    case 'path':
      return call.file;
    case 'bytes':
      return { data: await readFile(call.file), name: call.name };
    case 'reader':
      return { data: createReadStream(call.file), name: call.name };
    case 'sizedReader':
      return { data: createReadStream(call.file), name: call.name, length: (await stat(call.file)).size };
    case 'fileId':
      return { fileId: call.fileId };
    case 'operation':
      return run.operation;
    case 'result':
      return run.result;
    default:
      throw new Error(`unknown source ${call.from}`);
  }
}

const CALLS = {
  async upload(run, call, settings) {
    return { fileId: await run.client.files.upload(await sourceOf(run, call), settings) };
  },
  async uploadUrl(run, call, settings) {
    return { fileId: await run.client.files.uploadUrl(call.url, settings) };
  },
  async list(run, call, settings) {
    return { files: await run.client.files.list({ ...settings, onlyResultFiles: call.onlyResultFiles ?? false }) };
  },
  async get(run, call, settings) {
    return run.client.files.get(call.fileId, settings);
  },
  async delete(run, call, settings) {
    return { files: await run.client.files.delete(call.fileId, settings) };
  },
  async start(run, call, settings) {
    return run.begun(await run.client.start(call.operation, await sourceOf(run, call), call.options, settings));
  },
  async run(run, call, settings) {
    const source = await sourceOf(run, call);
    return run.begun(await run.client.start(call.operation, source, call.options, { ...settings, unchecked: true }));
  },
  async status(run, _call, settings) {
    return { status: await run.operation.status(settings) };
  },
  async wait(run, _call, settings) {
    const result = await run.operation.wait(settings);
    run.result = result;
    run.note(result);
    const { operationType, status, output, validation } = result;
    const shown = output && { fileId: output.fileId, name: output.name, url: output.url };
    return { operationType, status, output: shown, validation, raw: JSON.parse(result.json) };
  },
  async save(run, call, settings) {
    return { path: await run.operation.save(call.to, settings) };
  },
  async read(run, call, settings) {
    const bytes = await run.operation.read(settings);
    await writeFile(call.to, bytes);
    return { bytes: bytes.length };
  },
  async writeTo(run, call, settings) {
    // The file is created with the first bytes: a result that is refused must leave nothing.
    const chunks = [];
    for await (const chunk of run.operation.stream(settings)) chunks.push(chunk);
    await writeFile(call.to, chunks);
    return { bytes: Buffer.concat(chunks).length };
  },
  async token(run) {
    run.token = run.operation.token;
    return { token: run.token };
  },
  async resume(run, call) {
    return run.begun(await run.client.resume(call.token ?? run.token));
  },
  async deleteOperation(run, _call, settings) {
    await run.operation.delete(settings);
  },
  async close(run) {
    run.client.close();
  },
  async withOptions(run, call) {
    run.client = run.client.with(call.changes);
    run.note(await run.client.ready());
  },
  async newClient(run, call) {
    run.operation = undefined;
    run.connect(call.baseUrl);
  },
};

async function play({ client, calls }) {
  const run = new Run(client);
  const steps = [];
  for (const call of calls) steps.push(await run.make(call));
  // The last lines of the log may still be on their way from another thread.
  await delay(0);
  return { steps, log: run.lines.join('\n') };
}

/** A scenario with an environment of its own runs in a process of its own. */
async function playInChild(scenario) {
  const env = { ...process.env, ...scenario.client.environment };
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'one'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(scenario));
  const chunks = await child.stdout.toArray();
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** A connection to recto-replay: one line of JSON for each request, and one for its reply. */
async function open() {
  const [host, port] = process.env.RECTO_REPLAY.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const request = async (message) => {
    socket.write(`${JSON.stringify(message)}\n`);
    const reply = JSON.parse((await lines.next()).value);
    if (reply.fault) throw new Error(reply.fault);
    return reply;
  };
  return { request, end: () => socket.end() };
}

async function playAll(ids) {
  const { request, end } = await open();
  let failed = 0;
  for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
    const scenario = await request({ do: 'start', id });
    const outcome = await (scenario.client.environment ? playInChild(scenario) : play(scenario));
    const verdict = await request({ do: 'finish', run: scenario.run, outcome });
    if (!verdict.pass) failed += 1;
  }
  end();
  return failed;
}

if (process.argv[2] === 'one') {
  const chunks = await process.stdin.toArray();
  process.stdout.write(JSON.stringify(await play(JSON.parse(Buffer.concat(chunks).toString()))));
} else {
  const { request, end } = await open();
  const { scenarios } = await request({ do: 'list' });
  end();
  const chosen = process.argv.slice(2);
  const ids = chosen.length ? chosen : scenarios;
  await Promise.all(Array.from({ length: AT_ONCE }, () => playAll(ids)));
}
