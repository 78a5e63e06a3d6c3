// Compresses a PDF with the package in bindings/node: node compress.mjs IN.pdf OUT.pdf
import { Client } from 'recto';

const [source, target] = process.argv.slice(2);
const client = new Client();
try {
  console.log(await client.optimize(source, { profile: 'web' }).save(target));
} catch (error) {
  console.error(`${source}: ${error.message}`);
  process.exitCode = 1;
} finally {
  client.close();
}
