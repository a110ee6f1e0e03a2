import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Runner, suite } from '@ebb/testing';
import { describe, expect, test } from 'vitest';
import { clients } from './clients.ts';
import { mock, mockBehindServer } from './msw.ts';
import { eachNth } from './pairs.ts';
import { isQuick } from './runs.ts';
import { axiosOverHttp, type ClientName, traits } from './traits.ts';

// `test` plays each row over the mock of one client, `npx vitest` and the checks over those of all.
const mocked = (at: number): Runner => (isQuick ? eachNth({ describe, test }, 3, at) : { describe, test });

for (const [at, [name, client]] of Object.entries(clients).entries()) {
  const own = traits[name as ClientName];
  const adapter = { client, ...own, differs: { ...own.differs, ...(name === 'axios' && axiosOverHttp) } };
  suite({ describe, test }, { ...adapter, name: `${name} over sockets` });
  const over = name === 'undici' ? mockBehindServer : mock;
  suite(mocked(at), { ...adapter, name: `${name} over MSW`, mock: over });
}

/** Packages that adapt no client. */
const OTHERS = [
  'compat',
  'core',
  'hedge',
  'migrate',
  'opentelemetry',
  'providers',
  'resume',
  'simulator',
  'testing',
  'valkey',
  'workers',
];

/** An adapter starts calls. */
const STARTS = /^import [^;]*\bstartCall\b[^;]*from '@ebb\/core\/adapter'/m;

test('each package is an adapter that the suite is played over, or none', () => {
  const folders = globSync('packages/*/').map((path) => basename(path));
  expect([...Object.keys(clients), ...OTHERS].sort()).toEqual(folders.sort());
  const sources = globSync('packages/*/src/**/*.ts', { exclude: ['**/*.test.ts'] });
  const starting = sources.filter((path) => STARTS.test(readFileSync(path, 'utf8')));
  const adapters = new Set(starting.map((path) => path.split('/')[1]));
  expect([...adapters].sort()).toEqual(Object.keys(clients).sort());
});
