import type { Dispatcher } from 'undici';
import { inGroups, nsPerCall } from '../measure/batches.ts';
import { NOISE, type Part, type Row } from '../measure/part.ts';
import { looping } from '../ours/loops.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import type { Clients, Dispatch, Fetch } from '../rivals/rival.ts';
import { Upstream } from '../stubs/failing.ts';
import { Downstream, REQUEST } from '../stubs/undici.ts';

type Kind = 'fetch' | 'undici';

/** Sends the request of this number. */
type Call = (id: number) => Promise<{ readonly status: number }>;

const AT_ONCE = 1_000;
/** Nearly all set a timer even for no delay. A timer of 1 ms may fire early, and has to be set again. */
const DELAYS: Readonly<Record<string, number>> = { 'no delay': 0, '1 ms before each retry': 1 };

class Settling extends Downstream {
  readonly #settle: (response: { readonly status: number }) => void;
  #status = 0;

  constructor(settle: (response: { readonly status: number }) => void) {
    super();
    this.#settle = settle;
  }

  override onResponseStart(_?: Dispatcher.DispatchController, status = 0): void {
    this.#status = status;
  }

  override onResponseEnd(): void {
    this.#settle({ status: this.#status });
  }
}

const callOf: { readonly [K in Kind]: (client: Clients[K]) => Call } = {
  fetch: (send: Fetch) => (id) => send(`http://upstream.test/${id}`),
  undici: (dispatch: Dispatch) => (id) =>
    new Promise((resolve) => dispatch({ ...REQUEST, path: `/${id}` }, new Settling(resolve))),
};

const clientOf: { readonly [K in Kind]: (upstream: Upstream) => Clients[K] } = {
  fetch: (upstream) => upstream.fetch,
  undici: (upstream) => upstream.dispatch,
};

async function measure<K extends Kind>(kind: K, delayMs: number, name: string): Promise<readonly number[]> {
  const newClient = (): Clients[K] => clientOf[kind](new Upstream(AT_ONCE));
  const loop = (): Call => looping(callOf[kind](newClient()), delayMs);
  const library = async (): Promise<Call> => {
    const { retrying } = await subjectOf(kind, name);
    if (retrying === undefined) throw new Error(`${name} does not retry`);
    return callOf[kind](retrying(newClient(), delayMs));
  };
  const calls = [loop(), name === NOISE ? loop() : await library()];
  const runs = calls.map((call) =>
    inGroups(AT_ONCE, async (id) => {
      const { status } = await call(id);
      if (status !== 200) throw new Error(`${name} ended with ${status}`);
    }),
  );
  return nsPerCall(runs, { step: AT_ONCE });
}

export default {
  title: '1,000 requests at once, each 503, 503, 200',
  note: 'The time of a request relative to the shortest loop that retries.',
  columns: [
    { title: '× loop', value: ({ own = 0, bare = 1 }) => own / bare, digits: 2, spread: true },
    { title: 'the loop, µs', value: ({ bare = 0 }) => bare / 1_000, digits: 2 },
  ],
  async rows() {
    const rows: Row[] = [];
    for (const kind of ['fetch', 'undici'] as const) {
      const retrying = [...(await subjectsOf(kind))].filter(([, subject]) => subject.retrying !== undefined);
      const names = [NOISE, ...retrying.map(([name]) => name)];
      for (const delay of Object.keys(DELAYS)) {
        rows.push(...names.map((name) => ({ group: `${kind}, ${delay}`, name })));
      }
    }
    return rows;
  },
  async measure({ group, name }) {
    const [kind = '', delay = ''] = group.split(', ');
    const [bare = 0, own = 0] = await measure(kind as Kind, DELAYS[delay] ?? 0, name);
    return { bare, own };
  },
} satisfies Part;
