import axios from 'axios';
import { Agent, request } from 'undici';
import { inFlight, nsPerCall } from '../measure/batches.ts';
import { NOISE, type Part } from '../measure/part.ts';
import { subjectOf } from '../ours/subjects.ts';
import type { Clients, Dispatch, Kind, Rival } from '../rivals/rival.ts';
import { startServer } from '../stubs/loopback.ts';

type Call = () => Promise<unknown>;
type Wrap<K extends Kind> = Rival<K>['wrap'];

/** Each call reads its whole response. The calls of a client share its connections, wrapped or not. */
const callsOf: { readonly [K in Kind]: (url: string, wraps: readonly Wrap<K>[]) => Call[] } = {
  fetch: (url, wraps) =>
    wraps.map((wrap) => {
      const send = wrap(fetch);
      return async () => (await send(url)).text();
    }),
  undici(url, wraps) {
    const agent = new Agent();
    return wraps.map((wrap) => {
      const dispatcher = agent.compose((dispatch) => wrap(dispatch as Dispatch) as never);
      return async () => (await request(url, { dispatcher })).body.text();
    });
  },
  axios: (url, wraps) =>
    wraps.map((wrap) => {
      const client: Clients['axios'] = wrap(axios.create());
      return () => client.get(url);
    }),
};

async function measure<K extends Kind>(kind: K, name: string, lanes: number): Promise<readonly number[]> {
  const { wrap } = await subjectOf(kind, name);
  const calls = callsOf[kind](await startServer(), [(client) => client, wrap]);
  const runs = calls.map((call) => inFlight(lanes, call));
  return nsPerCall(runs, { step: lanes, batches: 15, warmCalls: 2_000 });
}

const LANES: Readonly<Record<string, number>> = { 'one at a time': 1, '50 in flight': 50 };

export default {
  title: 'Over loopback',
  note:
    'The time of a request to a `node:http` server in another process, its body read, relative to the bare client over the ' +
    'same connections.',
  columns: [
    { title: '× bare', value: ({ own = 0, bare = 1 }) => own / bare, digits: 3, spread: true },
    { title: 'bare, µs', value: ({ bare = 0 }) => bare / 1_000 },
  ],
  async rows() {
    const subjects = [NOISE, 'ebb', 'ebb, slots'];
    return ['fetch', 'undici', 'axios'].flatMap((kind) =>
      Object.keys(LANES).flatMap((lanes) => subjects.map((name) => ({ group: `${kind}, ${lanes}`, name }))),
    );
  },
  async measure({ group, name }) {
    const [kind = '', lanes = ''] = group.split(', ');
    const [bare = 0, own = 0] = await measure(kind as Kind, name, LANES[lanes] ?? 1);
    return { bare, own };
  },
} satisfies Part;
