// Holds an adapter for node:http against the suite that the adapters of ebb pass. It prints:
//
//   201 of 207 rows pass
//   1 skipped: a body is a text or a stream
//   5 skipped: node:http follows no redirects
import { rowsFor } from '@ebb/testing';
import { adapter } from './adapter.ts';

const rows = rowsFor(adapter);
const skipped = new Map<string, number>();
let passed = 0;
for (const { name, skipped: why, run } of rows) {
  if (why !== undefined) {
    skipped.set(why, (skipped.get(why) ?? 0) + 1);
    continue;
  }
  try {
    await run();
    passed += 1;
  } catch (error) {
    console.log(`${name}\n${(error as Error).message}`);
  }
}
console.log(`${passed} of ${rows.length} rows pass`);
for (const [why, count] of skipped) console.log(`${count} skipped: ${why}`);
