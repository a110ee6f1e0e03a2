import { getEventListeners } from 'node:events';
import { constant } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { ebbInterceptor } from './index.ts';

test.each(Object.entries(versions))(
  '%s: 10,000 requests with one signal leave neither listeners nor timers nor rejections',
  async (_, { MockAgent, request }) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    onTestFinished(() => void process.off('unhandledRejection', onRejection));

    let replies = 0;
    let isUp = true;
    const mock = new MockAgent();
    mock
      .get('http://mocked.test')
      .intercept({ path: '/' })
      .reply(() => {
        replies += 1;
        return { statusCode: isUp && replies % 2 === 0 ? 200 : 503, data: 'text' };
      })
      .persist();
    const clock = virtualClock({ startMs: 0 });
    const soon = mock.compose(ebbInterceptor({ backoff: constant(0), clock }));
    const abort = new AbortController();
    const { signal } = abort;
    const send = async (dispatcher = soon): Promise<number> => {
      const { statusCode, body } = await request('http://mocked.test/', { dispatcher, signal });
      await body.dump();
      return statusCode;
    };
    for (let call = 0; call < 9_000; call += 1) expect(await send()).toBe(200);
    expect(replies).toBe(18_000);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(clock.pending).toBe(0);

    isUp = false;
    const late = mock.compose(ebbInterceptor({ backoff: constant(1_000), clock }));
    const waiting = Array.from({ length: 1_000 }, () => send(late));
    expect(clock.pending).toBeGreaterThan(0);
    const reason = new Error('enough');
    abort.abort(reason);
    const settled = await Promise.allSettled(waiting);
    expect(settled.every((one) => one.status === 'rejected' && one.reason === reason)).toBe(true);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(clock.pending).toBe(0);
    await mock.close();
    expect(rejections).toEqual([]);
  },
);
