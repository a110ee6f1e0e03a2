import { afterEach, describe, expect, test, vi } from 'vitest';
import { judge, prepare } from '../../test/steps.ts';
import { nextTurn } from '../base/clock.ts';
import type { Observer } from '../events/events.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { constant } from '../index.ts';
import { createPolicy } from '../policy/policy.ts';
import { startCall } from './transport.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'http://upstream/',
  replayable: true,
  header: () => undefined,
};
const answer = (status: number): Outcome => ({ type: 'response', status, header: () => undefined });

const isWeb = process.env.EBB_PLATFORM === 'web';

describe('an observer that fails', () => {
  afterEach(() => void vi.unstubAllGlobals());

  const failures: [how: string, onEvent: Observer][] = [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('boom'))],
  ];
  test.each(failures)('%s: it is reported once, and changes nothing', async (_, onEvent) => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    vi.stubGlobal('reportError', isWeb ? listen : undefined);
    const policy = createPolicy({ backoff: constant(0), onEvent });
    for (let call = 0; call < 3; call += 1) {
      const call = startCall(policy, request);
      expect(prepare(call)).toBeUndefined();
      expect(judge(call, answer(503)).retry).toBe(true);
      expect(await prepare(call)).toBe(true);
      expect(judge(call, answer(200)).reason).toBe('success');
    }
    await nextTurn();
    await nextTurn();
    process.off('warning', listen);
    vi.unstubAllGlobals();
    expect(warnings.filter(({ name }) => name === 'EbbWarning')).toMatchObject([
      { message: 'onEvent failed, and is ignored: boom', cause: { message: 'boom' } },
    ]);
  });
});
