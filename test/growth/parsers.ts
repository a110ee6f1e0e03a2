// Gives each reader more and more to read. Valgrind counts the instructions between the marks.
import { READINGS } from './readings.ts';
import { SIZES } from './sizes.ts';

const counted: string[] = [];
/** The counter looks for this call. */
const mark = (): number => process.uptime();

for (const [name, read, fills] of READINGS) {
  for (const fill of fills) {
    // As text from the network: not one that is put together only when it is read.
    const texts = SIZES.map((size) => Buffer.alloc(size, fill).toString('latin1'));
    // Once before, so that what is compiled is compiled.
    await read(texts.at(-1) as string);
    globalThis.gc?.({ type: 'minor' });
    counted.push(`${name}, of ${JSON.stringify(fill)}`);
    mark();
    for (const text of texts) {
      await read(text);
      mark();
    }
  }
}
console.log(JSON.stringify(counted));
