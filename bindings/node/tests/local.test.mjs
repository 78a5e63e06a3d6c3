// The embedded service and the local service: real documents, without a service elsewhere.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, hasFeature, LocalService, NotFoundError, OperationFailedError } from '../lib/index.mjs';

const samples = process.env.RECTO_EXAMPLES ?? fileURLToPath(new URL('../../../examples', import.meta.url));
const report = join(samples, 'report.pdf');
const skip = !hasFeature('local') && 'the C library was built without the embedded service';

describe('without a base URL', { skip }, () => {
  let client;
  let folder;

  before(async () => {
    client = new Client();
    folder = await mkdtemp(join(tmpdir(), 'recto-node-'));
  });

  after(async () => {
    client.close();
    await rm(folder, { recursive: true });
  });

  test('a document is compressed on this machine', async () => {
    const path = await client.optimize(report, { profile: 'web' }).save(folder);
    assert.equal(path, join(folder, 'report.pdf'));
    assert.ok((await stat(path)).size < (await stat(report)).size / 2);
    assert.match(client.baseUrl, /^http:\/\/127\.0\.0\.1:/);
  });

  test('a chain stays in the service, and a report lists its findings', async () => {
    const archived = await client.archivePdfa(report, { conformance: 'pdf_a2_b' });
    const { validation } = await client.validate(archived, { conformance: 'pdf_a2_b' }).wait();
    assert.equal(validation.isConforming, true);
    const checked = await client.validate(report, { conformance: 'pdf_a2_b' }).wait();
    assert.equal(checked.validation.isConforming, false);
    assert.ok(checked.validation.errors.length > 0);
  });

  test('a document that is damaged is refused with an error of its operation', async () => {
    const error = await client
      .optimize(Buffer.from('%PDF-1.7 nothing'))
      .wait()
      .catch((rejected) => rejected);
    assert.ok(error instanceof OperationFailedError, String(error));
    assert.match(error.operationId, /./);
  });

  test('files are uploaded, listed and deleted', async () => {
    const id = await client.files.upload(await readFile(report));
    assert.equal((await client.files.get(id)).id, id);
    assert.ok((await client.files.list()).some((file) => file.id === id));
    await client.files.delete(id);
    await assert.rejects(client.files.get(id), NotFoundError);
  });
});

test('a local service serves clients with its key, and ends when it is closed', { skip }, async () => {
  const service = await LocalService.start({ retentionMs: 60_000, isolation: 'best' });
  const client = new Client({ baseUrl: service.baseUrl, apiKey: service.apiKey, retries: 0 });
  const bytes = await client.stampText(report, { text: 'DRAFT', margin: { top: '2cm' } }).read();
  assert.equal(bytes.subarray(0, 5).toString(), '%PDF-');
  assert.equal(JSON.stringify(service).includes(service.apiKey), false);
  const stranger = new Client({ baseUrl: service.baseUrl, apiKey: 'another' });
  await assert.rejects(stranger.files.list(), { kind: 'AuthError' });
  await service.close();
  await service.close();
  await assert.rejects(client.files.list({ timeoutMs: 20_000 }), { kind: 'TransportError' });
  await assert.rejects(LocalService.start({ colour: 'red' }), /unknown setting/);
});
