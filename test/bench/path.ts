// How far a reader goes to follow one request: the source files whose functions run, how often the next function stands in another
// file than the one before, and how many functions there are to read. Counted in the sources as they run in Node, from the call to its
// result.
// Run: pnpm bench path [files]
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { markdown } from './measure/markdown.ts';

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly expression?: boolean;
  readonly body?: Syntax | null;
}

interface Enter {
  /** @param at where the function begins in its file */
  ebbEnters?: ((file: string, at: number) => void) | undefined;
}

/** All functions with a body, those inside of others as well. */
function functionsIn(node: unknown, found: Syntax[] = []): Syntax[] {
  if (typeof node !== 'object' || node === null) return found;
  const { type, body } = node as Partial<Syntax>;
  if (body && /^(FunctionExpression|FunctionDeclaration|ArrowFunctionExpression)$/.test(type ?? ''))
    found.push(node as Syntax);
  for (const child of Object.values(node)) functionsIn(child, found);
  return found;
}

/** The code, in which every function first tells its file and its place. */
function marked(code: string, file: string): string {
  const inserts: [at: number, text: string][] = [];
  for (const { type, start, body } of functionsIn(parseAst(code, { lang: 'ts' }))) {
    if (body === null || body === undefined) continue;
    const call = `globalThis.ebbEnters?.(${JSON.stringify(file)}, ${start})`;
    if (type === 'ArrowFunctionExpression' && body.type !== 'BlockStatement')
      inserts.push([body.start, `(${call}, `], [body.end, ')']);
    else inserts.push([body.start + 1, `${call};`]);
  }
  inserts.sort(([one], [other]) => other - one);
  return inserts.reduce((text, [at, insert]) => text.slice(0, at) + insert + text.slice(at), code);
}

registerHooks({
  load(url, context, next) {
    const [, file] = /\/packages\/([\w/-]+\.ts)$/.exec(url) ?? [];
    if (file === undefined) return next(url, context);
    const source = marked(readFileSync(fileURLToPath(url), 'utf8'), file);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

interface Path {
  /** The files, in the order in which their functions run. */
  readonly files: readonly string[];
  /** How many functions run, each counted once. */
  readonly functions: number;
}

/** The path of one call. */
async function followed(call: () => Promise<unknown>): Promise<Path> {
  const files: string[] = [];
  const functions = new Set<string>();
  (globalThis as Enter).ebbEnters = (file, at) => {
    files.push(file);
    functions.add(`${file}:${at}`);
  };
  await call();
  (globalThis as Enter).ebbEnters = undefined;
  return { files, functions: functions.size };
}

/** Prints the figures of the paths of requests alone, as JSON. */
const isForGuard = process.argv.includes('json');

const { createFetch } = await import('@ebb/fetch');
const { concurrencyLimit, constant, retryBudget, tokenBucket } = await import('@ebb/core');
const { valkeyBucket } = await import('@ebb/valkey');
const { model } = await import('../../packages/valkey/test/model.ts');

/** The path of a call that is successful at its second attempt. */
async function pathOf(options: object): Promise<Path> {
  let sent = 0;
  const base = async (): Promise<Response> => {
    sent += 1;
    return new Response('hello', { status: sent === 1 ? 503 : 200 });
  };
  const fetch = createFetch({ backoff: constant(1), ...options }, base);
  return followed(async () => (await fetch('http://upstream.test/')).text());
}

/** The path of a request that waits for a token in the memory of its process. */
async function pathOfWait(): Promise<Path> {
  const bucket = tokenBucket({ refillPerSecond: 100, capacity: 20 });
  while (bucket.tryAcquire() !== undefined);
  return followed(() => bucket.acquire());
}

/** The path of a request that waits until the store has leased tokens. */
async function pathOfLease(): Promise<Path> {
  let state: string | undefined;
  const client = {
    evalsha: async (_sha1: string, _key: string, args: readonly string[]): Promise<unknown> => {
      const { ebbEnters } = globalThis as Enter;
      (globalThis as Enter).ebbEnters = undefined;
      const reply = model(state, args, Date.now() * 1_000);
      (globalThis as Enter).ebbEnters = ebbEnters;
      state = reply.text;
      return reply.reply;
    },
    eval: async (): Promise<never> => {
      throw new Error('the script is known');
    },
  };
  // The store has enough tokens, and this process none.
  const bucket = valkeyBucket({ client, key: 'path', refillPerSecond: 1_000, capacity: 1_000 });
  await bucket.acquire();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const path = await followed(() => bucket.acquire());
  await bucket.close();
  return path;
}

/** The paths by their names. Those of a request alone must not grow: `test/guard/baseline.json`. */
const paths: [name: string, path: Path][] = [];
for (const [name, options] of [
  ['one retry over fetch', {}],
  [
    '… with bucket, slots, budget',
    {
      bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 }),
      concurrency: concurrencyLimit({ maxConcurrent: 10 }),
      budget: retryBudget(),
    },
  ],
] as const) {
  paths.push([name, await pathOf(options)]);
}
if (!isForGuard) {
  paths.push(['an acquire that waits in memory', await pathOfWait()]);
  paths.push(['an acquire of a fleet that asks its store', await pathOfLease()]);
}

const figures: [name: string, figures: Readonly<Record<string, number>>][] = [];
for (const [name, { files: path, functions }] of paths) {
  const moves = path.filter((file, at) => at > 0 && file !== path[at - 1]).length;
  const files = new Set(path);
  figures.push([name, { files: files.size, moves, functions }]);
  if (!process.argv.includes('files')) continue;
  for (const file of files) {
    const times = path.filter((one, at) => one === file && path[at - 1] !== file).length;
    console.log(`${String(times).padStart(4)} ${file}`);
  }
  if (process.argv.includes('moves')) console.log(path.join(' '));
}
if (isForGuard) console.log(JSON.stringify(Object.fromEntries(figures)));
else
  console.log(
    markdown(
      ['', 'files', 'moves', 'functions'],
      figures.map(([name, counts]) => [name, ...Object.values(counts).map(String)]),
    ),
  );
