// Loads the addon: the functions of recto.h by their names without `recto_`. Its C code is in src/.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const platform = `${process.platform}-${process.arch}`;
// The first is in the published package; the second is what `npm run build` makes.
const places = [`../prebuilds/${platform}/recto.node`, '../build/recto.node'].map((place) => join(__dirname, place));
const addon = places.find(existsSync);
if (!addon) {
  throw new Error(
    `recto: this package has no build for ${platform}; install the C library of Recto and run \`npm run build\` in ` +
      join(__dirname, '..'),
  );
}

/** @type {any} */
module.exports = require(addon);
