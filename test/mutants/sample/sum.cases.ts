import { expect, test } from 'vitest';
import { sum } from './sum.ts';

test('of nothing', async () => expect(await sum(0, 0)).toBe(0));
test('of two', async () => expect(await sum(1, 2)).toBe(3));
