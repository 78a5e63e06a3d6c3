// Compiles the addon: node build.mjs [--pack | --missing]. The C library is found with pkg-config, or by the
// environment: RECTO_LIBRARY_DIR (the folder with librecto.so) and RECTO_INCLUDE_DIR (the folder with recto.h).
//
//     --pack       also puts the library and the program of its workers beside the addon, into prebuilds/, for `npm pack`
//     --missing    only if the package has no addon for this system: what npm runs when the package is installed
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const isPacked = process.argv.includes('--pack');
const prebuilt = join(here, `prebuilds/${process.platform}-${process.arch}`);
if (process.argv.includes('--missing') && existsSync(join(prebuilt, 'recto.node'))) process.exit();
const target = isPacked ? prebuilt : join(here, 'build');
const { RECTO_LIBRARY_DIR: libraries, RECTO_INCLUDE_DIR: headers, CC: compiler = 'cc' } = process.env;
if (isPacked && !libraries) throw new Error('set RECTO_LIBRARY_DIR to the folder with librecto.so');

/** The options for the compiler to find the C library. */
function librarySettings() {
  if (!libraries)
    return execFileSync('pkg-config', ['--cflags', '--libs', 'recto'], { encoding: 'utf8' }).trim().split(/\s+/);
  const place = isPacked ? '$ORIGIN' : libraries;
  return [`-I${headers ?? join(libraries, '../include')}`, `-L${libraries}`, '-lrecto', `-Wl,-rpath,${place}`];
}

/** The headers of Node.js: those that were installed with it, or else those of a development package. */
function nodeHeaders() {
  const installed = join(process.execPath, '../../include/node');
  if (existsSync(join(installed, 'node_api.h'))) return installed;
  return createRequire(import.meta.url)('node-api-headers').include_dir;
}

const sources = readdirSync(join(here, 'src')).filter((name) => name.endsWith('.c'));
const macos = ['-bundle', '-undefined', 'dynamic_lookup'];
// Threads of the addon may run when the last instance ends, so its code must stay in memory.
const linux = ['-shared', '-Wl,-z,nodelete'];

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const settings = ['-std=c11', '-D_POSIX_C_SOURCE=200809L', '-O2', '-fPIC', '-fvisibility=hidden', '-Wall', '-Wextra'];
execFileSync(
  compiler,
  [
    ...settings,
    `-I${nodeHeaders()}`,
    ...sources.map((name) => join(here, 'src', name)),
    ...(process.platform === 'darwin' ? macos : linux),
    '-o',
    join(target, 'recto.node'),
    ...librarySettings(),
    '-lpthread',
  ],
  { stdio: 'inherit' },
);
if (isPacked) {
  // The library is found under its soname, beside the addon, and finds the program of its workers beside itself.
  const isPart = (name) =>
    /^librecto\.so\.[0-9.]+$/.test(name) || (name === 'recto' && existsSync(join(libraries, name)));
  for (const name of readdirSync(libraries).filter(isPart)) {
    copyFileSync(realpathSync(join(libraries, name)), join(target, name));
    execFileSync('strip', ['--strip-unneeded', join(target, name)]);
  }
}
