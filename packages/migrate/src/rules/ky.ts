import type { Bindings } from '../file/bindings.ts';
import { optionsIn } from '../file/options.ts';
import {
  argumentsOf,
  bare,
  findAll,
  type Node,
  PLACEHOLDER,
  type Source,
  Stuck,
  textToCompare,
} from '../file/source.ts';
import { CallSites, type Kind } from './call-site.ts';
import { holderOf } from './instances.ts';

const KIND: Kind = {
  library: 'ky',
  like: 'likeKy',
  options: {
    ...{ limit: {}, methods: {}, statusCodes: {}, maxRetryAfter: {}, backoffLimit: {}, retryOnTimeout: {} },
    ...{ delay: { decides: true }, jitter: { decides: true } },
  },
};

const MAKES = /^(create|extend)$/;
const SENDS = /^(get|post|put|patch|head|delete|query)$/;

/** A call of a client of ky. */
interface Use {
  readonly call: Node;
  readonly client: Node;
  /** The options that are written in it. */
  readonly options: Node | undefined;
  /** Its `retry`. */
  readonly retry: Node | undefined;
}

function useOf(call: Node): Use | undefined {
  const called = call.field('function');
  const isMember = called?.kind() === 'member_expression';
  const client = isMember ? called.field('object') : called;
  const method = isMember ? (called.field('property')?.text() ?? '') : 'get';
  if (!client || !(MAKES.test(method) || SENDS.test(method))) return undefined;
  const options = argumentsOf(call)
    .map(bare)
    .find((one) => one.kind() === 'object');
  const retry = options && optionsIn(options).find(({ key }) => key === 'retry')?.value;
  return { call, client, options, retry };
}

function makesClient({ call }: Use): boolean {
  return MAKES.test(call.field('function')?.field('property')?.text() ?? '');
}

/** The calls of ky, and of the clients that are made of it. Those that make one come first: a request may stand above its client. */
function usesIn(source: Source, bindings: Bindings): Use[] {
  const clients = new Set<string>();
  const isClient = ({ client }: Use): boolean =>
    bindings.named(client) === 'default' || clients.has(textToCompare(client));
  const calls = findAll(source.root, 'call_expression').toReversed();
  const uses = calls.flatMap((call) => useOf(call) ?? []);
  for (const use of uses) {
    const holder = isClient(use) && makesClient(use) ? holderOf(use.call) : undefined;
    if (holder !== undefined) clients.add(holder);
  }
  return uses.filter(isClient).sort((one, other) => Number(makesClient(other)) - Number(makesClient(one)));
}

/** Why `likeKy` cannot follow the options of a call; `undefined` if it can. */
function obstacleIn(sites: CallSites, { options, retry }: Use): string | undefined {
  const hooks = options && optionsIn(options).find(({ key }) => key === 'hooks')?.value;
  if (/\bbeforeRetry\b/.test(hooks?.text() ?? '')) return '`beforeRetry` is `beforeAttempt`, or `onEvent`';
  try {
    if (retry !== undefined) sites.check(retry);
    return undefined;
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    return error.message;
  }
}

/** A client that has a `retry`, or whose request has one, is given to `likeKy`, which reads the options of all clients made of it. */
export function ky(source: Source): void {
  const sites = new CallSites(source, KIND);
  const uses = usesIn(source, sites.bindings);
  const obstacles = new Map(uses.map((use) => [use, obstacleIn(sites, use)]));
  const isStuck = [...obstacles.values()].some((obstacle) => obstacle !== undefined);
  const wrapped = new Set<string>();
  for (const use of uses) {
    const { call, client, retry } = use;
    const isOff = /^(0|\{ *limit: *0 *\})$/.test(retry?.text() ?? '0');
    const isWrapped = wrapped.has(textToCompare(client));
    const isDone =
      !isOff &&
      !isWrapped &&
      source.attempt(call, () => {
        if (isStuck)
          throw new Stuck(obstacles.get(use) ?? 'a client or a request of this file cannot be followed');
        source.replace(client, `${PLACEHOLDER}likeKy(${client.text()}, ${PLACEHOLDER}createFetch)`);
      });
    const holder = makesClient(use) ? holderOf(call) : undefined;
    if (holder !== undefined && (isDone || isWrapped)) wrapped.add(holder);
  }
}
