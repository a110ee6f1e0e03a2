import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrate } from './migrate.ts';

const shapes = new URL('../../test/shapes/', import.meta.url).pathname;
const inputs = globSync('*.input.*', { cwd: shapes }).sort();

describe('programs of one file', () => {
  test('there are so many', () => expect(inputs).toHaveLength(29));

  test.each(inputs)('%s becomes what stands beside it', async (input) => {
    const before = readFileSync(shapes + input, 'utf8');
    const { text } = migrate(input, before);
    await expect(text).toMatchFileSnapshot(shapes + input.replace('.input.', '.output.'));
  });

  test.each(inputs)('%s: a second run changes nothing', (input) => {
    const first = migrate(input, readFileSync(shapes + input, 'utf8'));
    expect(migrate(input, first.text).text).toBe(first.text);
  });

  test.each(inputs)('%s: each line that stays is as it was', (input) => {
    const before = readFileSync(shapes + input, 'utf8');
    const { text, left } = migrate(input, before);
    // A program in which nothing was rewritten has comments more, and no other change.
    const bare = text.split('\n').filter((line) => !line.includes('TODO(ebb)'));
    if (text.includes('@ebb/')) expect(bare.length).toBeGreaterThan(0);
    else expect(bare.join('\n')).toBe(before);
    expect(left.map(({ line }) => text.split('\n')[line - 1])).toEqual(
      left.map(({ text }) => expect.stringContaining(text)),
    );
  });
});

test('the endings of paths decide which files are programs', () => {
  const text = "import pRetry from 'p-retry';\npRetry(run);\n";
  for (const path of ['a.d.ts', 'a.json', 'a.md', 'a.vue'])
    expect(migrate(path, text), path).toMatchObject({ text, rewritten: 0 });
  for (const path of ['a.js', 'a.cjs', 'a.mjs', 'a.jsx', 'a.ts', 'a.cts', 'a.mts', 'a.tsx'])
    expect(migrate(basename(path), text).rewritten, path).toBe(1);
});

test('a program that cannot be parsed is an error', () => {
  expect(() => migrate('a.ts', "import pRetry from 'p-retry';\nconst = 5;\n")).toThrow(
    'its syntax is not understood',
  );
});

describe('imports', () => {
  test.each([
    [
      'a.js',
      "require('p-retry')(run);\n",
      "const { likePRetry } = require('@ebb/compat');\nconst { retry } = require('@ebb/core');\n\nretry(({ attempt }) => run(attempt), likePRetry());\n",
    ],
    [
      'a.js',
      "'use strict'\n\nmodule.exports = () => require('p-retry')(run)\n",
      "'use strict'\n\nconst { likePRetry } = require('@ebb/compat')\nconst { retry } = require('@ebb/core')\n\nmodule.exports = () => retry(({ attempt }) => run(attempt), likePRetry())\n",
    ],
    [
      'a.mjs',
      "import p from 'p-retry';\nimport { retry } from './own.js';\n\nretry(p(run));\n",
      "import { likePRetry } from '@ebb/compat';\nimport { retry as ebbRetry } from '@ebb/core';\nimport { retry } from './own.js';\n\nretry(ebbRetry(({ attempt }) => run(attempt), likePRetry()));\n",
    ],
    [
      'a.mjs',
      "import retry from 'p-retry';\nimport { constant } from '@ebb/core';\nretry(run, { minTimeout: 5, factor: 1 });\nconstant(1);\n",
      "import { likePRetry } from '@ebb/compat';\nimport { constant, retry } from '@ebb/core';\nretry(({ attempt }) => run(attempt), likePRetry({ minTimeout: 5, factor: 1 }));\nconstant(1);\n",
    ],
    [
      'a.mjs',
      "import * as all from 'p-retry';\n\nall.default(run, { unref: true });\nall.default(() => 1);\n",
      "import * as all from 'p-retry';\nimport { likePRetry } from '@ebb/compat';\nimport { retry } from '@ebb/core';\n\n// TODO(ebb): p-retry stays here: `unref` has no counterpart\nall.default(run, { unref: true });\nretry(() => 1, likePRetry());\n",
    ],
    [
      'a.cjs',
      "const pRetry = require('p-retry');\npRetry(run);\nconst own = require('./own');\n",
      "const { likePRetry } = require('@ebb/compat');\nconst { retry } = require('@ebb/core');\nretry(({ attempt }) => run(attempt), likePRetry());\nconst own = require('./own');\n",
    ],
    [
      'a.cjs',
      "const axiosRetry = require('axios-retry').default || require('axios-retry');\naxiosRetry(axios);\n",
      "const { ebbInterceptor } = require('@ebb/axios');\nconst { likeAxiosRetry } = require('@ebb/compat');\naxios.interceptors.request.use(ebbInterceptor(likeAxiosRetry()));\n",
    ],
    [
      'a.cjs',
      "const go = () => pRetry(run);\nconst pRetry = require('p-retry');\nconst own = require('./own');\n",
      "const go = () => retry(({ attempt }) => run(attempt), likePRetry());\nconst { likePRetry } = require('@ebb/compat');\nconst { retry } = require('@ebb/core');\nconst own = require('./own');\n",
    ],
    [
      'a.ts',
      "import pRetry from 'p-retry';\nimport type { Other, RetryContext } from 'p-retry';\n\nlet a: Other<RetryContext>;\npRetry(() => 1);\n",
      "import type { Other } from 'p-retry';\nimport { likePRetry, type PRetryContext } from '@ebb/compat';\nimport { retry } from '@ebb/core';\n\n// TODO(ebb): p-retry stays here: how Other is used is not known\nlet a: Other<PRetryContext & Error>;\nretry(() => 1, likePRetry());\n",
    ],
  ])('%s: %j', (path, before, after) => {
    expect(migrate(path, before).text).toBe(after);
  });
});
