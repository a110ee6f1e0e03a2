import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { Heap, type HeapEntry } from './heap.ts';

interface Entry extends HeapEntry {
  readonly key: number;
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), key: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('shift' as const) }) },
);

test('the first is always the least, whatever is removed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: 'max' }), (steps) => {
      const heap = new Heap<Entry>((one, other) => one.key < other.key);
      const all: Entry[] = [];
      const gone: Entry[] = [];
      const remove = (entry: Entry | undefined): void => {
        if (entry === undefined) return;
        heap.remove(entry);
        if (all.includes(entry)) gone.push(...all.splice(all.indexOf(entry), 1));
      };
      for (const step of steps) {
        if (step.kind === 'add') {
          const entry = { key: step.key, heapIndex: -1 };
          all.push(entry);
          heap.add(entry);
        } else if (step.kind === 'remove') remove([...all, ...gone][step.which]);
        else remove(heap.first);
        expect(heap.size).toBe(all.length);
        expect(heap.first?.key).toBe(all.length === 0 ? undefined : Math.min(...all.map(({ key }) => key)));
      }
      const sorted = all.map(({ key }) => key).sort((one, other) => one - other);
      for (const key of sorted) {
        expect(heap.first?.key).toBe(key);
        remove(heap.first);
      }
    }),
    { numRuns: runs(1_000) },
  );
});
