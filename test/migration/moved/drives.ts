/** The exports of a program. */
type Program = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** An SDK that a program is given. */
const openai = {
  async transcribe(file: string): Promise<string> {
    const response = await fetch(`https://api.example.com/${file}`);
    const code = response.status === 403 ? 'context_length_exceeded' : undefined;
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { code });
    return response.text();
  },
};

/** A database whose errors have a code. */
const db = {
  async query(sql: string): Promise<string> {
    const response = await fetch('https://db.example.com', { method: 'POST', body: sql });
    const code = response.status === 403 ? 'FATAL' : undefined;
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { code });
    return response.text();
  },
};

/** How the programs are used that take arguments, or have several exports. The others are called by their only one. */
export const DRIVES: Readonly<Record<string, (program: Program) => unknown>> = {
  'async-retry-5': ({ transcribe }) => transcribe?.('a.wav', openai),
  'axios-retry-10': ({ github }) => github?.('/users'),
  'axios-retry-14': async ({ save, rows }) => Promise.allSettled([await save?.({ a: 1 }), await rows?.()]),
  'axios-retry-6': async ({ exportAll, ping }) => [await exportAll?.(), await ping?.()],
  'axios-retry-9': ({ put }) => put?.(),
  'axios-retry-3': ({ createOrder }) => createOrder?.(),
  'axios-retry-16': ({ both }) => both?.(),
  'axios-rate-limit-3': ({ balance }) => balance?.(),
  'axios-rate-limit-4': ({ cards }) => cards?.(),
  'axios-rate-limit-5': ({ first }) => Promise.all([1, 2, 3, 4].map(() => first?.())),
  'bottleneck-5': ({ pages }) => pages?.(),
  'fetch-retry-4': ({ default: load }) => load?.('https://api.example.com/a'),
  'fetch-retry-7': ({ remove }) => remove?.(),
  'fetch-retry-8': ({ page }) => page?.('https://api.example.com/page'),
  'ky-1': ({ me }) => me?.(),
  'ky-3': async ({ create, once }) => [await create?.(), await once?.()],
  'p-retry-10': ({ fetchAll }) => fetchAll?.([1, 2]),
  'p-retry-6': ({ query }) => query?.(db, 'select 1'),
  'p-retry-8': ({ withRetry }) => withRetry?.(() => db.query('select 1'), { retries: 2 }),
  'p-throttle-2': ({ embedAll }) => embedAll?.(['a', 'b', 'c']),
  'p-throttle-4': ({ matches }) =>
    matches?.(
      { details: async (id: number) => (await fetch(`https://api.example.com/${id}`)).status },
      [1, 2],
    ),
  'p-throttle-3': ({ call }) => Promise.all(['a', 'b', 'c'].map((name) => call?.(name))),
};
