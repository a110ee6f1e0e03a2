import type { TokenBucket } from '@ebb/core';
import axios from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { ownBucket } from '../../core/test/own.ts';
import { statuses } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { ebbInterceptor } from './index.ts';

describe('the ebb option of a request', () => {
  test('false sends the request without ebb', async () => {
    const adapter = statuses(503);
    const classify = vi.fn();
    await errorOf(clientOf({ adapter }, { classify }).get('/', { ebb: false }));
    const byLater = axios.create({ adapter });
    byLater.interceptors.request.use((config) => Object.assign(config, { ebb: false }));
    byLater.interceptors.request.use(ebbInterceptor({ classify }));
    await errorOf(byLater.get('/'));
    expect([adapter.mock.calls.length, classify.mock.calls.length]).toEqual([2, 0]);
  });

  test('in the defaults of an instance applies unless the request has its own', async () => {
    const adapter = statuses(503);
    const client = axios.create({ adapter, ebb: { ...atOnce, maxRetries: 4, cost: 2 } });
    client.interceptors.request.use(ebbInterceptor());
    await errorOf(client.get('/'));
    expect(adapter).toHaveBeenCalledTimes(5);
    await errorOf(client.get('/', { ebb: { maxRetries: 1 } }));
    expect(adapter).toHaveBeenCalledTimes(7);
    await errorOf(client.get('/', { ebb: false }));
    expect(adapter).toHaveBeenCalledTimes(8);
  });

  test('rejects a plain object, which axios would copy', async () => {
    const adapter = statuses(200);
    const bucket: TokenBucket = ownBucket({ tryAcquire: () => true, acquire: () => true } as never);
    const error = await errorOf(clientOf({ adapter }).get('/', { ebb: { bucket } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^ebb: bucket must be an instance of a class/);
    expect(adapter).not.toHaveBeenCalled();
    // axios does not copy the options of the interceptor itself.
    expect((await clientOf({ adapter }, { bucket }).get('/')).status).toBe(200);
  });
});

describe('invalid options', () => {
  test.each([
    [{ maxRetries: Number.NaN }, RangeError, 'ebb: maxRetries must be a whole number ≥ 0, got NaN'],
    [{ maxRetries: '3' }, TypeError, 'ebb: maxRetries'],
    [{ retries: 3 }, TypeError, 'ebb has no option "retries"'],
    [true, TypeError, 'ebb: options must be an object, got true'],
    [null, TypeError, 'ebb: options must be an object, got null'],
  ])('%j in a request rejects that request alone', async (ebb, kind, message) => {
    const adapter = statuses(200);
    const client = clientOf({ adapter });
    const error = await errorOf(client.get('/', { ebb: ebb as never }));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(message);
    expect(adapter).not.toHaveBeenCalled();
    expect((await client.get('/')).status).toBe(200);
  });
});
