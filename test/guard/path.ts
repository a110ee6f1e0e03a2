// How far a reader goes to follow one request: the source files whose functions run, how often the next function stands in another
// file than the one before, and how many functions there are to read. Counted in the sources as they run in Node, from the call to its
// result. Prints the figures as JSON; with `files`, each file and how often it is entered:
//   node --conditions=@ebb/source test/guard/path.ts files
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

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

const { createFetch } = await import('@ebb/fetch');
const { concurrencyLimit, constant, retryBudget, tokenBucket } = await import('@ebb/core');

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

/** Of requests alone, by name: they must not grow, see `baseline.json`. */
const POLICIES = {
  'one retry over fetch': {},
  '… with bucket, slots, budget': {
    bucket: tokenBucket({ refillPerSecond: 1_000, capacity: 1_000 }),
    concurrency: concurrencyLimit({ maxConcurrent: 10 }),
    budget: retryBudget(),
  },
};

const figures: Record<string, Readonly<Record<string, number>>> = {};
for (const [name, options] of Object.entries(POLICIES)) {
  const { files: path, functions } = await pathOf(options);
  const entered = path.filter((file, at) => file !== path[at - 1]);
  const files = new Set(path);
  figures[name] = { files: files.size, moves: entered.length - 1, functions };
  if (!process.argv.includes('files')) continue;
  for (const file of files)
    console.log(`${String(entered.filter((one) => one === file).length).padStart(4)} ${file}`);
}
console.log(JSON.stringify(figures));
