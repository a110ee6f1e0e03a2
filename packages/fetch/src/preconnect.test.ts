import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFetch } from './index.ts';

describe('preconnect, an extension of Bun', () => {
  afterEach(() => vi.unstubAllGlobals());

  test('that of baseFetch is passed on, also through another ebb fetch', () => {
    const preconnect = vi.fn();
    const base = Object.assign(async () => new Response('text'), { preconnect });
    expect(createFetch({}, createFetch({}, base))).toHaveProperty('preconnect', preconnect);
  });

  test('without one, that of the runtime is used', () => {
    const preconnect = vi.fn();
    vi.stubGlobal(
      'fetch',
      Object.assign(async () => new Response('text'), { preconnect }),
    );
    expect(createFetch({}, async () => new Response('text'))).toHaveProperty('preconnect', preconnect);
  });

  test('without one in the runtime there is none', () => {
    expect(createFetch()).not.toHaveProperty('preconnect');
    vi.stubGlobal('fetch', undefined);
    expect(createFetch({}, async () => new Response('text'))).not.toHaveProperty('preconnect');
  });
});
