import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRateLimit, likePThrottle } from '@ebb/compat';
import axiosRateLimit from 'axios-rate-limit';
import pThrottle from 'p-throttle';
import { describe, expect, test } from 'vitest';
import { fakeTime } from '../fake-time.ts';
import { axiosOf, type Played, play } from './play.ts';

fakeTime();

/** As p-throttle has it, and likePThrottle. */
type Throttle = (options: {
  readonly limit: number;
  readonly interval: number;
  readonly signal?: AbortSignal;
  readonly onDelay?: (...args: never[]) => void;
  readonly weight?: (...args: never[]) => number;
}) => <F extends (id: number) => Promise<number>>(
  call: F,
) => F & { isEnabled: boolean; readonly queueSize: number };

async function expectAlike(call: (isOriginal: boolean) => Promise<Played>): Promise<void> {
  const original = await call(true);
  expect(original.sentMs.length).toBeGreaterThan(1);
  expect(await call(false)).toEqual(original);
}

describe('as p-throttle does', () => {
  type Run = (throttle: Throttle, load: (id: number) => Promise<number>, log: unknown[]) => Promise<unknown>;
  const all = (count: number, call: (id: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, id) => call(id).catch((error: Error) => error.message)));

  test.each<[string, Run]>([
    ['so many in each interval', (throttle, load) => all(7, throttle({ limit: 3, interval: 700 })(load))],
    [
      'of several functions together',
      (throttle, load) => {
        const limited = throttle({ limit: 2, interval: 100 });
        const [one, other] = [limited(load), limited(async (id) => load(id + 10))];
        return all(6, (id) => (id % 2 ? one : other)(id));
      },
    ],
    [
      'tells each call that waits',
      (throttle, load, log) =>
        all(5, throttle({ limit: 2, interval: 100, onDelay: (...args) => log.push(args) })(load)),
    ],
    [
      'an abort ends those that wait',
      (throttle, load) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(new Error('over')), 150);
        return all(5, throttle({ limit: 1, interval: 100, signal: controller.signal })(load));
      },
    ],
    [
      'a limit that is off, and how many wait',
      async (throttle, load, log) => {
        const limited = throttle({ limit: 1, interval: 100 })(load);
        const calls = all(3, limited);
        await undefined;
        log.push(limited.queueSize);
        limited.isEnabled = false;
        return [await all(2, limited), await calls];
      },
    ],
    [
      'calls that take more than one',
      (throttle, load) =>
        all(6, throttle({ limit: 4, interval: 100, weight: ((id: number) => 1 + (id % 3)) as never })(load)),
    ],
    [
      'an error of onDelay',
      (throttle, load) =>
        all(
          3,
          throttle({
            limit: 1,
            interval: 100,
            onDelay() {
              throw new Error('no');
            },
          })(load),
        ),
    ],
    [
      'an error of the function',
      (throttle, load) =>
        all(
          2,
          throttle({ limit: 1, interval: 100 })(async (id) => {
            await load(id);
            throw new Error(`no ${id}`);
          }),
        ),
    ],
  ])('%s', (_, run) =>
    expectAlike((isOriginal) =>
      play([{ status: 200 }], (upstream, log) => {
        const load = async (id: number): Promise<number> => {
          log.push([id, upstream.atMs]);
          await upstream.next();
          return id;
        };
        return run((isOriginal ? pThrottle : likePThrottle) as Throttle, load, log);
      }),
    ),
  );

  test('a method keeps its object', async () => {
    const user = {
      name: 'a',
      get: likePThrottle({ limit: 1, interval: 1 })(function (this: { name: string }) {
        return this.name;
      }),
    };
    expect(await user.get()).toBe('a');
  });

  test.each([
    [{ limit: 1, interval: 1, strict: true }, 'strict'],
    [{ limit: 1, interval: 1, weight: 1 }, 'weight'],
    [{ limit: 1 }, 'interval'],
    [{ limit: 0, interval: 1 }, 'limit'],
  ])('%j is refused', (options, name) => {
    expect(() => likePThrottle(options as never)).toThrow(`likePThrottle: ${name}`);
  });

  test('a member of an older p-throttle is an error that names it', () => {
    const limited = likePThrottle({ limit: 1, interval: 1, strict: false })(() => 1) as object as {
      abort(): void;
    };
    expect(() => limited.abort()).toThrow('likePThrottle has no abort');
  });
});

describe('as axios-rate-limit does', () => {
  test.each<[string, NonNullable<Parameters<typeof axiosRateLimit>[1]>]>([
    ['in each second', { maxRPS: 2 }],
    ['in an interval', { maxRequests: 3, perMilliseconds: 700 }],
    ['in a duration', { maxRequests: 1, duration: '0.5s' }],
    ['of minutes', { maxRequests: 1, duration: ' 2m ' }],
    ['of a number', { maxRequests: 2, duration: 300, perMilliseconds: 5 }],
    ['before the others', { maxRequests: 9, duration: 300, maxRPS: 4 }],
  ])('%s', (_, options) =>
    expectAlike((isOriginal) =>
      play([{ status: 200 }], async (upstream) => {
        const client = axiosOf(upstream, 0);
        const http = isOriginal
          ? axiosRateLimit(client, options)
          : likeAxiosRateLimit(client, options, ebbInterceptor);
        const responses = await Promise.all(
          [0, 1, 2, 3, 4].map(async (id) => {
            // Timers of the same time fire without a turn between them here, and axios-rate-limit counts in such a turn.
            await new Promise((resolve) => setTimeout(resolve, id));
            return http.get(`/${id}`);
          }),
        );
        return responses.map(({ status }) => status);
      }),
    ),
  );

  const client = { interceptors: { request: { use: () => 0 } } };

  test.each([
    [{ limits: [] }, 'limits'],
    [{ queue: [] }, 'queue'],
    [{ shouldCountRequest: () => true }, 'shouldCountRequest'],
    [{ maxRequests: 1, duration: '1 week' }, 'duration'],
    [{ maxRequests: 1 }, 'options'],
    [{ duration: '1s' }, 'options'],
    [{}, 'options'],
  ])('%j is refused', (options, name) => {
    expect(() => likeAxiosRateLimit(client, options, ebbInterceptor)).toThrow(`likeAxiosRateLimit: ${name}`);
  });
});
