import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFetch } from './index.ts';

describe('preconnect, which is in Bun', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('that of the base is handed on, also through another ebb fetch', () => {
    const preconnect = vi.fn();
    const base = Object.assign(async () => new Response('text'), { preconnect });
    expect(createFetch({}, createFetch({}, base))).toHaveProperty('preconnect', preconnect);
  });

  test('a base without one gets that of the runtime', () => {
    const preconnect = vi.fn();
    vi.stubGlobal(
      'fetch',
      Object.assign(async () => new Response('text'), { preconnect }),
    );
    expect(createFetch({}, async () => new Response('text'))).toHaveProperty('preconnect', preconnect);
  });

  test('where the runtime has none there is none', () => {
    expect(createFetch()).not.toHaveProperty('preconnect');
    vi.stubGlobal('fetch', undefined);
    expect(createFetch({}, async () => new Response('text'))).not.toHaveProperty('preconnect');
  });
});
