// Plays all scripts to a program, in virtual time, and prints what it sent and how it ended:
//   node --conditions=@ebb/source test/migration/moved/process.ts axios-retry-1 FILE
import { pathToFileURL } from 'node:url';
import { install } from '@sinonjs/fake-timers';
import { DRIVES } from './drives.ts';
import { SCRIPTS } from './scripts.ts';
import { Upstream } from './upstream.ts';

const HOUR_MS = 3_600_000;
const [name = '', file = ''] = process.argv.slice(2);
const print = process.stdout.write.bind(process.stdout);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const LOADED_MS = 1_000_000_000_000;
const clock = install({
  now: LOADED_MS,
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
});
const upstream = new Upstream();
upstream.install();
// Never twice the same, because some make names of it, and so little different that no wait shows it.
let drawn = 0;
Math.random = () => {
  drawn += 1;
  return 0.5 + drawn * 1e-9;
};
const logged: string[] = [];
for (const level of ['log', 'warn', 'error', 'info'] as const)
  console[level] = (...texts: unknown[]) => void logged.push(texts.join(' '));

/** What a result or an error shows of itself. */
async function shown(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(shown));
  if (value instanceof Response) return { status: value.status, text: await value.text() };
  if (value instanceof Error) {
    const { name, message, response, code } = value as Error & {
      response?: { status: number };
      code?: string;
    };
    return { name, message, code, status: response?.status };
  }
  const { status, data } = Object(value);
  return data === undefined ? value : { status, data };
}

/** Lets time pass until a call has ended. */
async function ended(call: () => unknown): Promise<unknown> {
  let result: unknown;
  let isOver = false;
  const finish = (value: unknown): void => {
    result = value;
    isOver = true;
  };
  (async () => shown(await call()))().then(finish, async (error) => finish({ rejected: await shown(error) }));
  for (let turns = 0; !isOver && turns < 2_000; turns += 1) {
    for (let more = 0; more < 10 && !isOver; more += 1) await turn();
    if (!isOver && clock.countTimers() > 0) clock.next();
  }
  return isOver ? result : 'never ends';
}

const program = await import(pathToFileURL(file).href);
const drive =
  DRIVES[name] ??
  ((exports: typeof program) =>
    (Object.values(exports).find((one) => typeof one === 'function') as () => unknown)());
const played: Record<string, unknown> = {};
for (const [script, steps] of Object.entries(SCRIPTS)) {
  upstream.play(steps);
  logged.length = 0;
  const startMs = Date.now();
  const result = await ended(() => drive({ ...program.default, ...program }));
  const sent = upstream.sent.map(({ atMs, ...one }) => ({ ...one, atMs: atMs - startMs }));
  played[script] = { result, sent, logged: [...logged] };
  // What a script has taken from a bucket, or still sends although its call has ended, must not matter to the next.
  // A whole hour after it was loaded: windows of a bucket begin with the bucket, and those of other libraries with the first call.
  await clock.tickAsync(2 * HOUR_MS - ((Date.now() - LOADED_MS) % HOUR_MS));
}
print(JSON.stringify(played));
process.exit();
