import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suite } from '@ebb/testing';
import { describe, expect, test } from 'vitest';
import { clients } from './clients.ts';
import { mock, mockBehindServer } from './msw.ts';
import { axiosOverHttp, type ClientName, traits } from './traits.ts';

for (const [name, client] of Object.entries(clients)) {
  const own = traits[name as ClientName];
  const adapter = { client, ...own, differs: { ...own.differs, ...(name === 'axios' && axiosOverHttp) } };
  suite({ describe, test }, { ...adapter, name: `${name} over sockets` });
  const over = name === 'undici' ? mockBehindServer : mock;
  suite({ describe, test }, { ...adapter, name: `${name} over MSW`, mock: over });
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
