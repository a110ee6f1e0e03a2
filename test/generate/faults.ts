import type { Hook, Parts } from './parts.ts';
import type { Probe } from './probe.ts';

/** What a hook throws that fails. */
class Fault extends Error {}

type Any = (...args: never[]) => unknown;

/**
 * A hook, or one that fails when it is called for the `at`th time. It is called before it fails: an observer that throws has
 * observed.
 */
export function faulty<H extends Any>(parts: Parts, hook: Hook, probe: Probe, own: H): H {
  const { fault } = parts;
  if (fault?.hook !== hook) return own;
  let calls = 0;
  const failing = (...args: never[]): unknown => {
    calls += 1;
    const result = own(...args);
    if (calls !== fault.at) return result;
    probe.faults += 1;
    if (fault.does === 'returns undefined') return undefined;
    const error = new Fault(`fault of ${hook}`);
    if (fault.does === 'throws') throw error;
    return Promise.reject(error);
  };
  return failing as H;
}
