import { expect, test } from 'vitest';
import { Lane, type Linked } from './lane.ts';

type Member = Linked<Member>;

function memberOf(cost: number): Member {
  return { cost, next: undefined, previous: undefined };
}

test('the cost of an empty lane is exactly 0', () => {
  const lane = new Lane<Member>();
  const members = [0.1, 0.2, 0.3].map(memberOf);
  for (const member of members) lane.push(member);
  expect(lane.cost).toBeCloseTo(0.6, 9);
  for (const member of members) lane.remove(member);
  expect(lane.cost).toBe(0);
  expect([lane.first, lane.last]).toEqual([undefined, undefined]);
});
