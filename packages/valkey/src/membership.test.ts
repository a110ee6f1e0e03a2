import { expect, test } from 'vitest';
import type { Reply } from './known-state.ts';
import { Membership } from './membership.ts';
import type { StoreCall } from './store-call.ts';

const told = (share: number, processes: number): Reply => ({ share, processes, epoch: 1 }) as Reply;

test('a share that was not renewed in time is not used, and not claimed', () => {
  const membership = new Membership();
  const call: StoreCall = { mode: 'peek' };
  expect(membership.next(call, 0, 250, false)).toMatchObject({ held: 0 });
  membership.answered(call, told(540_000, 1), 10);
  expect(membership.shareAt(6_000)).toBe(0.54);
  expect(membership.shareAt(10_000)).toBe(0);
  expect(membership.next({ mode: 'peek' }, 10_000, 250, false)).toMatchObject({ held: 0 });
});

test('in an outage it is, and a reply that was overtaken changes nothing', () => {
  const membership = new Membership();
  const [first, second]: StoreCall[] = [{ mode: 'peek' }, { mode: 'resume', outageMs: 1, handoverMs: 1 }];
  membership.next(first as StoreCall, 0, 250, false);
  membership.answered(first as StoreCall, told(500_000, 2), 1);
  expect(membership.next(second as StoreCall, 20_000, 250, true)).toMatchObject({ held: 500_000 });
  const third: StoreCall = { mode: 'peek' };
  membership.next(third, 20_001, 250, true);
  membership.answered(third, told(250_000, 4), 20_002);
  membership.answered(second as StoreCall, told(500_000, 2), 20_003);
  expect(membership.shareAt(20_003)).toBe(0.25);
});
