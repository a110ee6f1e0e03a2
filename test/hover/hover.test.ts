// What an editor shows over an option: its text and its default, in each function that takes a policy's options.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { declared } from '../declared.ts';
import { LanguageServer } from './language-server.ts';

const root = join(import.meta.dirname, '../..');
const OPTIONS = declared('packages/core/src/policy/options.ts', 'PolicyOptions');

/** Where users write options, before and after them. */
const PLACES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  createPolicy: ['createPolicy({', '})'],
  createFetch: ['createFetch({', '})'],
  'createFetch, in a request': ["createFetch()('/', { ebb: {", '} })'],
  'ebbInterceptor of axios': ['ebbAxios({', '})'],
  'axios, in a request': ["axios.get('/', { ebb: {", '} })'],
  'ebbInterceptor of undici': ['ebbUndici({', '})'],
  'undici, in a request': ["request('/', { ebb: {", '} })'],
  retry: ['retry(async () => 1, {', '})'],
  instrument: ['instrument({', '}, {} as never)'],
};

const IMPORTS = `import { createPolicy, retry } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import { instrument } from '@ebb/opentelemetry';
import axios from 'axios';
import { request } from 'undici';
`;

const file = join(root, 'test/hover/program.ts');
const text =
  IMPORTS +
  Object.values(PLACES)
    .map(([before, after]) => {
      const options = [...OPTIONS.keys()].map((name) => `${name}: undefined`).join(', ');
      return `${before} ${options} ${after};\n`;
    })
    .join('');

let server: LanguageServer;
beforeAll(async () => {
  server = new LanguageServer(join(root, 'node_modules/.bin/tsc'));
  await server.start(join(root, 'test'));
  server.open(file, text);
}, 60_000);
afterAll(() => server[Symbol.dispose]());

test.each(Object.entries(PLACES))('%s', { timeout: 60_000 }, async (_, [before]) => {
  const start = text.indexOf(before);
  const missing: string[] = [];
  for (const [name, byDefault] of OPTIONS) {
    const shown = await server.hover(file, text, text.indexOf(`${name}:`, start));
    const words = byDefault.replace(/\{@link (\w+)\}/g, '$1').split(/\W+/);
    const isWhole = shown.includes('@default') && words.every((word) => shown.includes(word));
    if (!isWhole) missing.push(`${name}: ${shown}`);
  }
  expect(missing).toEqual([]);
  expect(OPTIONS.size).toBeGreaterThanOrEqual(26);
});
