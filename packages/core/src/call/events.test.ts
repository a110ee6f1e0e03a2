import { afterEach, describe, expect, test, vi } from 'vitest';
import { REQUEST, response } from '../../test/call-with-limits.ts';
import { judge, prepare } from '../../test/steps.ts';
import { throwing } from '../../test/throwing.ts';
import { nextTurn } from '../base/clock.ts';
import type { Observer } from '../events/events.ts';
import { constant } from '../index.ts';
import { createPolicy } from '../policy/policy.ts';
import { startCall } from './transport.ts';

const isWeb = process.env.EBB_PLATFORM === 'web';

describe('an observer that fails', () => {
  afterEach(() => void vi.unstubAllGlobals());

  const failures: [how: string, onEvent: Observer][] = [
    ['throws', throwing()],
    ['rejects', async () => Promise.reject(new Error('boom'))],
  ];
  test.each(failures)('%s: it is reported once, and changes nothing', async (_, onEvent) => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    vi.stubGlobal('reportError', isWeb ? listen : undefined);
    const policy = createPolicy({ backoff: constant(0), onEvent });
    for (let call = 0; call < 3; call += 1) {
      const call = startCall(policy, REQUEST);
      expect(prepare(call)).toBeUndefined();
      expect(judge(call, response(503)).retry).toBe(true);
      expect(await prepare(call)).toBe(true);
      expect(judge(call, response(200)).reason).toBe('success');
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
