import { expect, test } from 'vitest';
import { strict } from './shared-options.ts';

test('an object that is strict can be awaited and written, and throws for what it does not have', async () => {
  const config = strict<Record<string, unknown>>('config', { url: '/a' });
  expect(config.url).toBe('/a');
  expect(await config).toBe(config);
  expect(JSON.stringify(config)).toBe('{"url":"/a"}');
  expect(Object.prototype.toString.call(config)).toBe('[object Object]');
  expect(() => config.data).toThrow('config has no data: what needs the body belongs in inspect');
});
