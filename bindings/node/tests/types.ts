// Not run, only compiled: what the types allow, and what they refuse.
import { createReadStream } from 'node:fs';
import { CancelledError, type Client, type OptimizeOptions, RectoError, type Result } from '../lib/index.js';

export async function allowed(client: Client): Promise<void> {
  const options: OptimizeOptions = { profile: 'web' };
  const path: string = await client.optimize('report.pdf', options).save('small.pdf');
  const bytes: Buffer = await client.stampText(Buffer.from(''), { text: 'DRAFT', margin: { top: '2cm' } }).read();
  const operation = await client.imageToPdf({ data: bytes, name: 'scan.png' }, { pageMargin: '1.5cm' });
  const result: Result = await client.validate(operation, { conformance: 'pdf_a2_b' }).wait();
  const conforms: boolean | null | undefined = result.validation?.isConforming;
  client
    .pdfToPng(createReadStream(path), { maxSizeInPixels: { width: 10, height: 10 } })
    .stream()
    .pipe(process.stdout);
  await client.start('stamp-qr', { fileId: 'x' }, { value: `${conforms}` }, { signal: AbortSignal.timeout(1000) });
  await client.start('convert/pdf-to-webp', 'a.pdf', { quality: 3 }, { unchecked: true });
  for await (const item of client.batch('optimize', ['a.pdf'], { options: { profile: 'print' }, concurrency: 2 })) {
    if (item.error instanceof RectoError && item.error.kind === 'NotFound') throw item.error;
  }
  const cancelled: string = new CancelledError('x').message;
  await using copy = client.with({ timeoutMs: 1000, retries: 1 });
  await copy.files.list({ onlyResultFiles: cancelled === 'x' });
}

export async function refused(client: Client): Promise<void> {
  // @ts-expect-error a value that is not in the set
  await client.optimize('a.pdf', { profile: 'tiny' });
  // @ts-expect-error an unknown option
  await client.optimize('a.pdf', { colour: 'red' });
  // @ts-expect-error a required option is missing
  await client.stampText('a.pdf');
  // @ts-expect-error an operation without options
  await client.docToPdf('a.doc', { profile: 'web' });
  // @ts-expect-error a copy cannot have another address
  client.with({ baseUrl: 'https://pdf.example.com' });
  // @ts-expect-error an unknown setting of a call
  await client.optimize('a.pdf', {}, { timeout: 3 });
}
