// Runs many operations and fails if memory, handles, threads or descriptors grow: node --expose-gc tests/leaks.mjs [COUNT]
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../lib/index.mjs';
import { startLoopback } from './loopback.mjs';

const COUNT = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 32;
// What a heap of V8 varies by itself, and how many connections stay open. A leak in each operation would be more.
const MOST_GROWTH = 16 * 1024 * 1024;

async function measure() {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc();
    await delay(20);
  }
  const { rss, external } = process.memoryUsage();
  return {
    rss,
    external,
    descriptors: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
  };
}

async function operations(client, count) {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const bytes = await client.optimize({ fileId: 'f1' }, { profile: 'web' }).read();
      if (bytes.length !== 516) throw new Error(`a result of ${bytes.length} bytes`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const service = await startLoopback();
const client = new Client({ baseUrl: service.baseUrl, apiKey: 'key' });
await operations(client, Math.min(COUNT, 2_000));
const before = await measure();
const began = performance.now();
await operations(client, COUNT);
const took = performance.now() - began;
const after = await measure();
const growth = Object.fromEntries(Object.keys(before).map((name) => [name, after[name] - before[name]]));
console.log(`${COUNT} operations in ${(took / 1000).toFixed(1)} s; growth:`, growth, 'after:', after);
const isLeaking =
  growth.rss > MOST_GROWTH || growth.external > MOST_GROWTH / 4 || growth.descriptors > AT_ONCE || growth.threads > 4;
service.stop();
client.close();
if (isLeaking) {
  console.error('the growth is that of a leak');
  process.exitCode = 1;
}
