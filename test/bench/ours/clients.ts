import { inOneTurn, oneByOne, type Run } from '../measure/batches.ts';
import { BARE, NOISE, type Row } from '../measure/part.ts';
import type { Clients, Fetch, Kind, Rival } from '../rivals/rival.ts';
import { stubbed } from '../stubs/axios.ts';
import { URL } from '../stubs/fetch.ts';
import { Downstream, REQUEST, respond } from '../stubs/undici.ts';
import { looping } from './loops.ts';
import { subjectOf } from './subjects.ts';

const LOOP = 'the shortest loop';

const SUBJECTS: Readonly<Record<Kind, readonly string[]>> = {
  fetch: ['ebb', 'fetch-retry', LOOP],
  undici: ['ebb', 'retry-agent'],
  axios: ['ebb', 'axios-retry', 'empty-interceptor'],
};

/** The rows that compare a request of ebb with that of the rival of each client, and bare with bare. */
export function rowsOfClients(groupOf: (kind: Kind) => string): Row[] {
  return (Object.keys(SUBJECTS) as Kind[]).flatMap((kind) =>
    [BARE, NOISE, ...SUBJECTS[kind]].map((name) => ({ group: groupOf(kind), name })),
  );
}

/** New clients that respond at once, so that each is over functions of its own. */
const bare: { readonly [K in Kind]: () => Clients[K] } = {
  fetch: () => async () => ({ status: 200, ok: true }) as Response,
  undici: () => (_, handler) => respond(handler, 200),
  axios: stubbed,
};

/** One call after the other, each by the next client. */
const runs: { readonly [K in Kind]: (next: () => Clients[K]) => Run } = {
  fetch: (next) => oneByOne(() => next()(URL)),
  undici: (next) => inOneTurn(() => next()(REQUEST, new Downstream())),
  axios: (next) => oneByOne(() => next().get(URL)),
};

const loop: Rival<'fetch'> = {
  wrap(send: Fetch) {
    const retried = looping(() => send(URL), 1_000);
    return () => retried(0);
  },
};

async function wrapOf<K extends Kind>(kind: K, name: string): Promise<Rival<K>['wrap']> {
  if (name === BARE || name === NOISE) return (client) => client;
  if (name === LOOP) return loop.wrap as Rival<K>['wrap'];
  return (await subjectOf(kind, name)).wrap;
}

/** Calls that succeed at once, made in turn by so many clients of one subject, which differ in their options. */
export async function callsInTurn<K extends Kind>(kind: K, name: string, count: number): Promise<Run> {
  const wrap = await wrapOf(kind, name);
  const clients = Array.from({ length: count }, (_, nth) => wrap(bare[kind](), nth));
  let turn = 0;
  const next = (): Clients[K] => {
    turn = turn === count - 1 ? 0 : turn + 1;
    return clients[turn] as Clients[K];
  };
  return runs[kind](next);
}
