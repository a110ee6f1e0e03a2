import { AsyncLocalStorage } from 'node:async_hooks';
import { type Inspect, type InspectedResponse, inspectBody } from '@ebb/core';
import { expect, test } from 'vitest';
import { start } from '../test/inspect.ts';
import { get, passBackoff, settle, setUp } from '../test/relay.ts';

test('inspect gets status, headers, request and attempt, in the async context of the request', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const look = (response: InspectedResponse): undefined => {
    const { status, request, attempt } = response;
    seen.push([status, response.header('x-a'), request.method, attempt, storage.getStore()]);
  };
  const { wire, spy, clock, dispatch } = setUp({ inspect: inspectBody(look) });
  storage.run('caller', () => dispatch(get, spy));
  storage.run('socket', () => wire.attempt(1).start().head(503, { 'x-a': 'b' }).end());
  await passBackoff(clock);
  storage.run('socket', () => wire.attempt(2).start().head(200).end());
  await settle();
  expect(seen).toEqual([
    [503, 'b', 'GET', 1, 'caller'],
    [200, undefined, 'GET', 2, 'caller'],
  ]);
});

test.each([
  ['a HEAD', 'HEAD', 200],
  ['a 204', 'GET', 204],
])('%s has an empty body', async (_, method, status) => {
  const seen: unknown[] = [];
  const look: Inspect = async (response) =>
    void seen.push(await response.text(), await response.json(), await response.firstEvent());
  const { wire, spy } = start(look, {}, { method });
  wire.attempt(1).start().head(status, { 'content-encoding': 'gzip', 'content-length': '99' }).end();
  await settle();
  expect(seen).toEqual(['', undefined, undefined]);
  expect(spy.calls).toEqual(['start', `head ${status}`, 'end {}']);
});

test('an informational response is passed on at once, and an upgrade is not held', async () => {
  const seen: number[] = [];
  const { wire, spy } = start(({ status }) => void seen.push(status));
  wire.attempt(1).start().head(103);
  expect(spy.calls).toEqual(['start', 'head 103']);
  wire.attempt(1).upgrade(101);
  expect([spy.calls.at(-1), seen]).toEqual(['upgrade 101', []]);
});
