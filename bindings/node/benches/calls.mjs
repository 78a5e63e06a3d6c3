// Measures the cost of a small call (listing no files) beside the same call of the C library: node calls.mjs C_PROGRAM [COUNT].
// Both talk to the same service on the loopback interface, in turns, and the medians of the rounds are printed. The time of
// the processor is that of the client alone, and does not depend on what else the machine does.
import { execFileSync } from 'node:child_process';
import { Client } from '../lib/index.mjs';
import { startLoopback } from '../tests/loopback.mjs';

const COUNT = Number(process.argv[3] ?? 2_000);
const ROUNDS = 5;
const program = process.argv[2];

async function measure(client, count, atOnce) {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await client.files.list();
    }
  };
  const [began, used] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: atOnce }, work));
  const { user, system } = process.cpuUsage(used);
  return [((performance.now() - began) * 1000) / count, (user + system) / count];
}

function median(rounds, at) {
  const values = rounds.map((round) => round[at]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)].toFixed(1);
}

const service = await startLoopback();
const client = new Client({ baseUrl: service.baseUrl, apiKey: 'key' });
for (const atOnce of [1, 64]) {
  await measure(client, atOnce * 4, atOnce);
  const node = [];
  const c = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const printed = execFileSync(program, [service.baseUrl, COUNT, atOnce], { encoding: 'utf8' });
    c.push(printed.trim().split(' ').map(Number));
    node.push(await measure(client, COUNT, atOnce));
  }
  console.log(`${atOnce} at once, for each call: Node.js ${median(node, 0)} µs, C ${median(c, 0)} µs`);
  console.log(`    of the processor: Node.js ${median(node, 1)} µs, C ${median(c, 1)} µs`);
}
client.close();
service.stop();
