import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';

type Core = Pick<typeof import('@ebb/core'), 'createPolicy' | 'tokenBucket' | 'refreshOn401'>;

/** The sources of core in one file, as a build with these conditions has them. */
async function built(...conditions: string[]): Promise<{ core: Core; text: string }> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createPolicy, tokenBucket, refreshOn401 } from '@ebb/core'`,
      resolveDir: import.meta.dirname,
    },
    conditions: ['@ebb/source', ...conditions],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  return { core: await import(`data:text/javascript,${encodeURIComponent(text)}`), text };
}

function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** Options of a policy with one wrong value that would hang it or change what it does. */
const wrong: readonly [options: object, name: string, option: string, message: string][] = [
  [{ maxRetries: -1 }, 'RangeError', 'maxRetries', 'createPolicy: maxRetries is wrong, got -1'],
  [{ maxRetries: '5' }, 'RangeError', 'maxRetries', 'createPolicy: maxRetries is wrong, got string'],
  [{ totalTimeoutMs: NaN }, 'RangeError', 'totalTimeoutMs', 'createPolicy: totalTimeoutMs is wrong, got NaN'],
  [{ retries: 5 }, 'TypeError', 'retries', 'createPolicy has no option "retries"'],
  [{ bucket: {} }, 'RangeError', 'bucket', 'createPolicy: bucket is wrong, got object'],
  [{ methods: 'some' }, 'RangeError', 'methods', 'createPolicy: methods is wrong, got string'],
];

describe('a production build', () => {
  let production: Awaited<ReturnType<typeof built>>;
  let other: Awaited<ReturnType<typeof built>>;
  beforeAll(async () => {
    [production, other] = await Promise.all([built('production'), built()]);
  });

  test.each(wrong)('%j is an error with its name and value', (options, name, option, message) => {
    const error = errorOf(() => production.core.createPolicy(options));
    const [given] = Object.values(options);
    expect(error).toMatchObject({ name, message, option, takes: '', given, unknown: option === 'retries' });
    expect(errorOf(() => other.core.createPolicy(options))).toMatchObject({ option, given });
  });

  test.each([
    ['redis://user:p@ss@host', '"redis://…@host"'],
    ['x'.repeat(101), `"${'x'.repeat(100)}…"`],
  ])('the value %s is shown as %s in other builds, and in none here', (methods, shown) => {
    const messageOf = ({ createPolicy }: Core) =>
      String(errorOf(() => createPolicy({ methods: methods as never })));
    expect(messageOf(other.core)).toContain(`got ${shown}`);
    expect(messageOf(production.core)).toBe('RangeError: createPolicy: methods is wrong, got string');
  });

  test.each<object>([{ classify: null }, { clock: () => 5 }, { onEvent: 'x' }])(
    '%j is an error in other builds alone: it fails where it is used',
    (options) => {
      expect(errorOf(() => production.core.createPolicy(options))).not.toBeInstanceOf(Error);
      expect(errorOf(() => other.core.createPolicy(options))).toBeInstanceOf(TypeError);
    },
  );

  test('refuses credentials for everyone, and says which line to add', () => {
    for (const { core } of [production, other]) {
      const plugins = [core.refreshOn401({ refresh: () => ({ authorization: 'secret' }) })];
      const error = errorOf(() => core.createPolicy({ plugins }));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain("such as trustedOrigins: ['https://api.example.com']");
    }
  });

  test('takes what other builds take', () => {
    for (const { core } of [production, other]) {
      const bucket = core.tokenBucket({ refillPerSecond: 5 });
      expect(core.createPolicy({ maxRetries: 2, bucket })).toMatchObject({ maxRetries: 2, priority: 0 });
    }
  });

  test('carries no words for what the options of a policy take', () => {
    for (const words of [
      'a whole number',
      'a finite number',
      'true or a function',
      'a list of plugins',
      'it takes',
      'a token bucket',
    ]) {
      expect(other.text).toContain(words);
      expect(production.text).not.toContain(words);
    }
  });
});

test('devText and no devText have the same types', async () => {
  const none: typeof import('../packages/core/src/base/dev-text.ts') = await import(
    '../packages/core/src/base/no-dev-text.ts'
  );
  expect(none.devText('a number')).toBeUndefined();
});
