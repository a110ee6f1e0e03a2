// Reads a download to its end, in a process of its own; prints the bytes, or the error, and the largest memory above that before.
// Run by resume.ts: node read.ts SUBJECT WARM-UP-URL URL
import { subjects } from './subjects.ts';

const [name = '', warmUp = '', url = ''] = process.argv.slice(2);
const [open] = subjects[name] ?? [];
if (open === undefined) throw new Error(`no subject ${name}`);

async function read(from: string): Promise<{ bytes: number; most: number; error?: string }> {
  let [bytes, most] = [0, 0];
  try {
    for await (const chunk of await (open as NonNullable<typeof open>)(from)) {
      bytes += chunk.byteLength;
      most = Math.max(most, process.memoryUsage.rss());
    }
    return { bytes, most };
  } catch (error) {
    return { bytes, most, error: String(error) };
  }
}

// The first read of a process makes its heap larger.
await read(warmUp);
globalThis.gc?.();
const before = process.memoryUsage.rss();
const startMs = performance.now();
const { most, ...got } = await read(url);
const tookMs = performance.now() - startMs;
console.log(JSON.stringify({ ...got, more: Math.max(0, most - before), tookMs }));
process.exit();
