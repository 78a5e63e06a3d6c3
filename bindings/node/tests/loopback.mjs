// A service on the loopback interface for tests and measurements, in a process of its own. It takes any document, and
// every result is the same small PDF. `/slow` in a file name delays the result for ever.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const RESULT = Buffer.from(`%PDF-1.7\n${'x'.repeat(500)}\n%%EOF\n`);

/** Starts the service. Its process ends with this one. */
export async function startLoopback() {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message');
  child.unref();
  child.channel.unref();
  return { baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

function serve() {
  let last = 0;
  const slow = new Set();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [path] = request.url.split('?');
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const base = `http://${request.headers.host}`;
    const id = path.split('/')[3];
    if (path === '/v1/files/upload/fromLocal') {
      last += 1;
      if (JSON.parse(body).fileName.startsWith('slow')) slow.add(`f${last}`);
      json({ fileId: `f${last}`, uploadUrl: `${base}/put/f${last}` });
    } else if (path.startsWith('/put/')) response.end();
    else if (path.endsWith('/result')) {
      if (slow.has(id)) json({ operationType: 'optimize', operationStatus: 'inProgress' });
      else {
        const outputFile = { fileId: `r-${id}`, name: 'result.pdf', url: `${base}/get/${id}` };
        json({ operationType: 'optimize', operationStatus: 'finished', outputFile });
      }
    } else if (path.startsWith('/v1/operations/')) {
      const { fileId } = JSON.parse(body).input;
      json({ operationId: fileId, operationType: 'optimize', operationStatus: 'inProgress' });
    } else if (path.startsWith('/get/')) response.setHeader('content-type', 'application/pdf').end(RESULT);
    else if (path === '/v1/files') json({ files: [] });
    else json({ files: [] });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('disconnect', () => process.exit());
}

if (process.argv[2] === 'serve') serve();
