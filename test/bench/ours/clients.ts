import type { PolicyOptions } from '@ebb/core';
import { inOneTurn, oneByOne, type Run } from '../measure/batches.ts';
import { BARE, isOurs, NOISE, type Row } from '../measure/part.ts';
import type { Clients, Fetch, Kind, Rival } from '../rivals/rival.ts';
import { stubbed } from '../stubs/axios.ts';
import { reading, URL, withHeaders } from '../stubs/fetch.ts';
import { Downstream, REQUEST, respond } from '../stubs/undici.ts';
import { type Company, LIMITED, optionsIn } from './company.ts';
import { looping } from './loops.ts';
import { subjectOf } from './subjects.ts';

const LOOP = 'the shortest loop';

/** Calls of the clients without limits alone, in a program in which others have them. */
const UNLIMITED = 'ebb, the five without limits';

const SUBJECTS: Readonly<Record<Kind, readonly string[]>> = {
  fetch: ['ebb', 'fetch-retry', LOOP],
  undici: ['ebb', 'retry-agent'],
  axios: ['ebb', 'axios-retry', 'empty-interceptor'],
};

/** The rows that compare a request of ebb with that of the rival of each client, and bare with bare. */
export function rowsOfClients(companies: readonly Company[]): Row[] {
  return companies.flatMap((company) =>
    (Object.keys(SUBJECTS) as Kind[]).flatMap((kind) => {
      const others = isMixed(company) ? [UNLIMITED] : [];
      const [ebb = '', ...rivals] = SUBJECTS[kind];
      return [BARE, NOISE, ebb, ...others, ...rivals].map((name) => ({ group: `${kind}, ${company}`, name }));
    }),
  );
}

/** The client and the company in the name of a group. */
export function groupOf(group: string): readonly [kind: Kind, company: Company] {
  const at = group.indexOf(', ');
  return [group.slice(0, at) as Kind, group.slice(at + 2) as Company];
}

function isMixed(company: Company): boolean {
  return company === 'ten clients, five of them with limits';
}

/** New clients that respond at once, so that each is over functions of its own. */
const bare: { readonly [K in Kind]: () => Clients[K] } = {
  fetch: () => async () => ({ status: 200, ok: true }) as Response,
  undici: () => (_, handler) => respond(handler, 200),
  axios: stubbed,
};

/** Limits read headers, and hold a slot until the body is read. */
function bareIn<K extends Kind>(kind: K, company: Company): Clients[K] {
  if (kind !== 'fetch' || !isMixed(company)) return bare[kind]();
  const responding: Fetch = (url) => withHeaders(url);
  return responding as Clients[K];
}

/** One call after the other, each by the next client. */
const runs: { readonly [K in Kind]: (next: () => Clients[K], company: Company) => Run } = {
  fetch: (next, company) => oneByOne(isMixed(company) ? reading((url) => next()(url)) : () => next()(URL)),
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

/** The clients of a program, which differ in their options. */
async function clientsIn<K extends Kind>(kind: K, name: string, company: Company): Promise<Clients[K][]> {
  const count = company === 'alone' ? 1 : 10;
  if (isMixed(company) && isOurs(name)) {
    const { withOptions } = (await import(`./${kind}.ts`)) as {
      withOptions(options: () => PolicyOptions): Rival<K>;
    };
    return Array.from({ length: count }, (_, nth) =>
      withOptions(() => optionsIn(nth)).wrap(bareIn(kind, company), nth),
    );
  }
  const wrap = await wrapOf(kind, name);
  return Array.from({ length: count }, (_, nth) => wrap(bareIn(kind, company), nth));
}

/** So many calls of all clients come before those that count, where only some of the clients count. */
const BEFORE = 3_000;

/** Calls that succeed at once, made in turn by the clients of a program. */
export async function callsInTurn<K extends Kind>(kind: K, name: string, company: Company): Promise<Run> {
  const clients = await clientsIn(kind, name, company);
  const inTurn = (those: readonly Clients[K][]): Run => {
    let turn = 0;
    const next = (): Clients[K] => {
      turn = turn === those.length - 1 ? 0 : turn + 1;
      return those[turn] as Clients[K];
    };
    return runs[kind](next, company);
  };
  if (name !== UNLIMITED) return inTurn(clients);
  await inTurn(clients)(BEFORE);
  return inTurn(clients.slice(LIMITED));
}
