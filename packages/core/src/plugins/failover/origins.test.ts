import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EjectionOptions, Origins } from './origins.ts';

function origins(count: number, options: EjectionOptions = {}) {
  const setup = { consecutiveFailures: 2, baseEjectionMs: 100, maxEjectionMs: 250, maxEjectedShare: 1 };
  const all = new Origins(count, { ...setup, ...options } as ConstructorParameters<typeof Origins>[1]);
  const play = (at: number, failed: boolean | undefined, nowMs: number): void =>
    all.begin(at, nowMs)(failed, nowMs);
  const fail = (at: number, nowMs: number): void => {
    play(at, true, nowMs);
    play(at, true, nowMs);
  };
  const out = (): number[] => Array.from({ length: count }, (_, at) => at).filter((at) => all.isOut(at));
  return { all, play, fail, out };
}

test('an origin is left out after so many failures in a row', () => {
  const { all, play, out } = origins(2, { consecutiveFailures: 3 });
  for (const failed of [true, true, false, true, undefined, true]) play(0, failed, 0);
  expect(out()).toEqual([]);
  expect(all.next(0, 0)).toBe(0);
  play(0, true, 0);
  expect(out()).toEqual([0]);
  expect(all.next(0, 0)).toBe(1);
});

test('one probe brings it back, or leaves it out for longer', () => {
  const { all, play, fail, out } = origins(2);
  fail(0, 0);
  expect(all.next(0, 99)).toBe(1);
  expect(all.next(0, 100)).toBe(0);
  const endProbe = all.begin(0, 100);
  expect(all.next(0, 150)).toBe(1);
  endProbe(true, 150);
  // Twice the time, from the end of the probe on.
  expect(all.next(0, 349)).toBe(1);
  expect(all.next(0, 350)).toBe(0);
  play(0, false, 350);
  expect(out()).toEqual([]);
});

test('a probe that says nothing is followed by another', () => {
  const { all, fail, out } = origins(2);
  fail(0, 0);
  const endProbe = all.begin(0, 100);
  endProbe(undefined, 120);
  expect(all.next(0, 120)).toBe(0);
  expect(out()).toEqual([0]);
});

test('the time grows with each ejection up to its most, and goes down while the origin is in', () => {
  const { all, play, fail } = origins(2);
  fail(0, 0);
  play(0, true, 100); // 200 ms
  play(0, true, 300); // 250 ms, not 300
  expect(all.next(0, 549)).toBe(1);
  expect(all.next(0, 550)).toBe(0);
  play(0, false, 550);
  // In for two base times: the fourth ejection counts as the second.
  fail(0, 750);
  expect(all.next(0, 949)).toBe(1);
  expect(all.next(0, 950)).toBe(0);
  play(0, false, 950);
  fail(0, 2_000);
  expect(all.next(0, 2_100)).toBe(0);
});

test('a base time that is longer than the most counts', () => {
  const { all, fail } = origins(2, { baseEjectionMs: 400 });
  fail(0, 0);
  expect(all.next(0, 399)).toBe(1);
  expect(all.next(0, 400)).toBe(0);
});

test('attempts from before an ejection change nothing', () => {
  const { all, fail, out } = origins(2);
  const early = [all.begin(0, 0), all.begin(0, 0)];
  fail(0, 0);
  early[0]?.(false, 50);
  expect(out()).toEqual([0]);
  early[1]?.(true, 60);
  expect(all.next(0, 100)).toBe(0);
});

test('if all are out, requests go to the one that is back first', () => {
  const { all, play, fail, out } = origins(3);
  fail(1, 0);
  fail(0, 10);
  fail(2, 20);
  expect([0, 1, 2].map((from) => all.next(from, 30))).toEqual([1, 1, 1]);
  // A failure there says nothing new, and does not make its time longer.
  play(1, true, 30);
  expect(all.next(1, 99)).toBe(1);
  expect(all.next(0, 100)).toBe(1);
  play(1, false, 40);
  expect(out()).toEqual([0, 2]);
  expect(all.next(0, 40)).toBe(1);
});

test('a paused origin gets no requests while another is usable, and a pause is never made shorter', () => {
  const { all, fail } = origins(3);
  all.pause(0, 50, 0);
  all.pause(0, 20, 10);
  expect([all.pausedMs(0, 10), all.next(0, 49), all.next(0, 50), all.pausedMs(0, 60)]).toEqual([40, 1, 0, 0]);
  all.pause(1, 30, 0);
  all.pause(2, 40, 0);
  expect([all.next(0, 20), all.next(2, 35)]).toEqual([1, 1]);
  // Out for longer than the others are paused.
  fail(1, 0);
  expect([all.next(1, 20), all.next(5, 20)]).toEqual([2, 2]);
  all.pause(2, 1e9, 0);
  expect(all.pausedMs(2, 0)).toBe(600_000);
});

test.each<[share: number, out: number]>([
  [1, 4],
  [0.5, 2],
  [0.49, 1],
  [0.01, 1],
])('with a share of %s of four, %s are left out', (maxEjectedShare, most) => {
  const { fail, out } = origins(4, { maxEjectedShare });
  for (const at of [0, 1, 2, 3]) fail(at, 0);
  expect(out().length).toBe(most);
});

test('at any time at most one attempt probes an origin, and a usable origin is preferred', () => {
  const step = fc.record({
    from: fc.nat(2),
    ms: fc.nat(80),
    result: fc.constantFrom(true, false, undefined),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { all, out } = origins(3);
      let nowMs = 0;
      const open: { at: number; wasOut: boolean; end: ReturnType<Origins['begin']> }[] = [];
      for (const { from, ms, result } of steps) {
        nowMs += ms;
        const at = all.next(from, nowMs);
        const left = out();
        if (left.length < 3 && left.includes(at))
          expect(open.filter((one) => one.at === at && one.wasOut)).toEqual([]);
        open.push({ at, wasOut: left.includes(at) && left.length < 3, end: all.begin(at, nowMs) });
        if (ms % 2 === 0) open.shift()?.end(result, nowMs);
      }
    }),
  );
});
