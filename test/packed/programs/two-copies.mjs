// A program that both requires and imports ebb has two copies of it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esmCore from '@ebb/core';
import * as esmAdapter from '@ebb/core/adapter';
import * as esmFetch from '@ebb/fetch';

const require = createRequire(import.meta.url);
const esm = { ...esmCore, ...esmAdapter };
const cjs = { ...require('@ebb/core'), ...require('@ebb/core/adapter') };
const { withUpstream } = require('./clients.cjs');
const cjsFetch = require('@ebb/fetch');

assert.notEqual(esm.NotSentError, cjs.NotSentError);

/** A client of one copy, over another client. */
function clientOf(core, below) {
  core.countClient();
  const policy = core.createPolicy({ maxRetries: 2, backoff: core.constant(0) });
  return (url) => {
    const request = { method: 'GET', url, replayable: true, header: () => undefined };
    return core.run(core.startCall(policy, request), {
      send: (call) => core.sendWithin(call, () => below(url)),
      outcome: (status) => ({ type: 'response', status, header: () => undefined }),
      failure: (error) => ({ type: 'failure', kind: 'unknown', error }),
      setAside: () => undefined,
    });
  };
}

for (const [one, other] of [
  [esm, cjs],
  [cjs, esm],
]) {
  let sent = 0;
  const inner = clientOf(one, async () => {
    sent += 1;
    return 503;
  });
  assert.equal(await clientOf(other, inner)('http://upstream.test/'), 503);
  assert.equal(sent, 3, 'the outer layer retries, and the inner one sends once');
}

for (const [one, other, { createFetch }] of [
  [esm, cjs, esmFetch],
  [cjs, esm, cjsFetch],
  [esm, cjs, cjsFetch],
  [cjs, esm, esmFetch],
]) {
  const notSent = new one.NotSentError('no token', 5);
  assert.ok(notSent instanceof other.NotSentError);
  assert.ok(!(notSent instanceof other.HookError));
  const hook = new one.HookError('cost', new Error('broken'));
  assert.ok(hook instanceof other.HookError);
  assert.ok(!(hook instanceof other.NotSentError));

  const bucket = one.tokenBucket({ capacity: 2, refillPerSecond: 0.001, nonConforming: 'reject' });
  const policy = one.createPolicy({ maxRetries: 1, backoff: one.constant(0), bucket });
  assert.equal(other.createPolicy(policy), policy);

  const frozen = Object.freeze(new Error('frozen'));
  one.setHistory(frozen, [{ attempt: 1, delayMs: 0, waitedMs: 0, reason: 'final' }]);
  assert.equal(other.attemptsOf(frozen).length, 1);

  await withUpstream(async (url) => {
    const fetch = createFetch(policy);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.equal(other.attemptsOf(response).length, 2);
    assert.equal(other.grantOf(response), one.grantOf(response));
    const refusal = await fetch(url).catch((error) => error);
    for (const { NotSentError } of [one, other]) assert.ok(refusal instanceof NotSentError);
    const cost = () => {
      throw new Error('broken');
    };
    const failure = await fetch(url, { ebb: { cost } }).catch((error) => error);
    for (const { HookError } of [one, other]) assert.ok(failure instanceof HookError);
  });
}
console.log('both know each other');
