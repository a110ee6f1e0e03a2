// Imports and requires every entry of every package's `exports`: both must have the same names.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const packages = readdirSync(new URL('../node_modules/@ebb', import.meta.url)).map((name) => `@ebb/${name}`);
let doors = 0;
for (const name of packages) {
  for (const entry of Object.keys(require(`${name}/package.json`).exports)) {
    if (entry === './package.json') continue;
    const door = name + entry.slice(1);
    const names = Object.keys(await import(door)).sort();
    // These doors have types alone.
    if (!/^@ebb\/(fetch\/global|hedge|resume)$/.test(door)) assert.notDeepEqual(names, [], door);
    assert.deepEqual(Object.keys(require(door)).sort(), names, door);
    doors += 1;
  }
}
console.log(`${doors} doors`);
