// Packs the package, installs it in an empty project as a user does, and runs the programs of the README there: with
// import, with require, and compiled from TypeScript.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasFeature } from '../lib/index.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'recto-package-'));
// The programs find the library and its worker in the package, not by the environment of the tests.
const { RECTO_WORKER, RECTO_LIBRARY_DIR, ...env } = process.env;
const run = (...command) => execFileSync(command[0], command.slice(1), { cwd: project, env, encoding: 'utf8' });

/** The blocks of the README in this language. */
function blocks(language) {
  const text = readFileSync(join(here, 'README.md'), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code);
}

function runProgram(name, code) {
  writeFileSync(join(project, name), code);
  console.log(`${name}: ${run(process.execPath, name).trim()}`);
}

/** The example compresses a document, and reports an error. */
function runExample(path) {
  copyFileSync(path, join(project, 'compress.mjs'));
  run(process.execPath, 'compress.mjs', 'report.pdf', 'example.pdf');
  const [before, after] = ['report.pdf', 'example.pdf'].map((name) => statSync(join(project, name)).size);
  if (after > before / 2) throw new Error(`the example: ${before} bytes became ${after}`);
  const options = { cwd: project, env, encoding: 'utf8' };
  const failed = spawnSync(process.execPath, ['compress.mjs', 'missing.pdf', 'never.pdf'], options);
  if (failed.status !== 1 || !failed.stderr.includes('No such file or directory')) throw new Error(failed.stderr);
}

const SMOKE = `console.log(new Client({ baseUrl: 'https://pdf.example.com' }).baseUrl, typeof version);`;
try {
  execFileSync(process.execPath, ['build.mjs', '--pack'], { cwd: here, stdio: 'inherit' });
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', project], {
    cwd: here,
    encoding: 'utf8',
  });
  console.log(`${packed.trim()}: ${(statSync(join(project, packed.trim())).size / 1e6).toFixed(1)} MB`);
  writeFileSync(join(project, 'package.json'), '{"name": "newcomer", "private": true}');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', `./${packed.trim()}`);
  if (readdirSync(join(project, 'node_modules')).join() !== '.package-lock.json,recto') throw new Error('dependencies');
  runProgram('esm.mjs', `import { Client, version } from 'recto';\n${SMOKE}`);
  runProgram('cjs.cjs', `const { Client, version } = require('recto');\n${SMOKE}`);
  for (const [name, type] of [
    ['typed.mts', 'esm'],
    ['typed.cts', 'cjs'],
  ]) {
    writeFileSync(
      join(project, name),
      `import { Client, version } from 'recto';\n${SMOKE}\nexport const kind = '${type}';\n`,
    );
    const settings = [
      '--noEmit',
      '--strict',
      '--module',
      'node16',
      '--target',
      'es2022',
      '--lib',
      'es2022,esnext.disposable',
    ];
    const types = ['--types', 'node', '--typeRoots', join(here, 'node_modules/@types')];
    run(process.execPath, join(here, 'node_modules/typescript/bin/tsc'), ...settings, ...types, name);
  }
  const samples = process.env.RECTO_EXAMPLES ?? join(here, '../../examples');
  for (const name of ['report.pdf', 'form.pdf', 'scan.png']) copyFileSync(join(samples, name), join(project, name));
  const programs = hasFeature('local') ? blocks('js') : [];
  for (const [at, code] of programs.entries()) runProgram(`readme-${at}.mjs`, code);
  if (programs.length) runExample(join(samples, 'node/compress.mjs'));
  if (!programs.length) console.log('the C library has no embedded service: the programs of the README were not run');
} finally {
  rmSync(project, { recursive: true, force: true });
  rmSync(join(here, 'prebuilds'), { recursive: true, force: true });
}
