// Reads a download to its end, in a process of its own; prints the bytes, the error, and the largest memory above that before.
// Run by resume.ts: node read.ts SUBJECT WARM-UP-URL URL
import { subjects } from './subjects.ts';

const [name = '', warmUp = '', url = ''] = process.argv.slice(2);
const [open] = subjects[name] ?? [];
if (open === undefined) throw new Error(`no subject ${name}`);

const MB = 1024 * 1024;

/** The bytes that are in use, once the garbage is collected. */
function live(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function read(from: string) {
  let [bytes, rss, used] = [0, 0, 0];
  let error: string | undefined;
  try {
    for await (const chunk of await (open as NonNullable<typeof open>)(from)) {
      const before = bytes;
      bytes += chunk.byteLength;
      rss = Math.max(rss, process.memoryUsage.rss());
      // Not between the connections alone.
      if (Math.floor(bytes / MB / 3) > Math.floor(before / MB / 3)) used = Math.max(used, live());
    }
  } catch (broken) {
    error = String(broken);
  }
  return { bytes, rss, used, error };
}

// The first read of a process makes its heap larger.
await read(warmUp);
const usedBefore = live();
const rssBefore = process.memoryUsage.rss();
const { rss, used, ...got } = await read(url);
console.log(
  JSON.stringify({ ...got, rss: Math.max(0, rss - rssBefore), used: Math.max(0, used - usedBefore) }),
);
process.exit();
