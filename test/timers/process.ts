// A program whose timers are faked: node process.ts ROW WHEN ENTRY. Writes what comes of each situation.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { here, legacyJestByVersion, modernJestByVersion, sinonByVersion } from './fakes.ts';
import { type Entry, playAll, type When } from './play.ts';
import type { Packages } from './situations.ts';

const require = createRequire(import.meta.url);

/** In one go: some fakes hold up an `import`. */
function load(): Packages {
  return {
    core: require('@ebb/core'),
    fetch: require('@ebb/fetch'),
    fetchHedged: require('@ebb/hedge/fetch'),
    fetchResumable: require('@ebb/resume/fetch'),
    axios: require('axios'),
    ebbAxios: require('@ebb/axios'),
    axiosHedged: require('@ebb/hedge/axios'),
    undici: require('undici'),
    ebbUndici: require('@ebb/undici'),
    undiciHedge: require('@ebb/hedge/undici'),
    undiciResumable: require('@ebb/resume/undici'),
  };
}

const [name, when, entry] = process.argv.slice(2);
const row = [...here, ...sinonByVersion, ...modernJestByVersion, ...legacyJestByVersion].find(
  (each) => each.name === name,
);
if (row === undefined) throw new Error(`there are no fakes "${name}"`);
writeSync(1, JSON.stringify(await playAll(row, when as When, entry as Entry, load)));
