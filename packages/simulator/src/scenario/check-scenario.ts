import {
  type Check,
  counting,
  fields,
  listOf,
  notNegative,
  oneOf,
  positive,
  ScenarioError,
  share,
  whole,
  wrong,
} from './check.ts';
import { checkLimit } from './check-limit.ts';
import { checkPolicy } from './check-policy.ts';
import type { Surge } from './client-options.ts';
import type { Scenario } from './scenario.ts';

const checkSurge: Check = (path, value) => {
  fields({ fromMs: notNegative, untilMs: positive, factor: positive })(path, value);
  const { fromMs, untilMs } = value as Surge;
  if (untilMs <= fromMs) throw wrong(`${path}.untilMs`, `a number > fromMs, ${fromMs}`, untilMs);
};

const checkPaths: Check = (path, value) => {
  if (value !== 'shards') counting(path, value);
};

const checkClients: Check = (path, value) => {
  const closed = typeof value === 'object' && value !== null && 'thinkMs' in value;
  const check = closed
    ? fields({ count: counting, thinkMs: positive, '?requestsEach': counting })
    : fields({
        count: counting,
        requestsPerSecond: positive,
        '?surges': listOf(checkSurge),
        '?paths': checkPaths,
      });
  check(path, value);
};

const span = { fromMs: notNegative, untilMs: positive, '?shard': whole };

const TROUBLES: Readonly<Record<string, Check>> = {
  outage: fields({ type: oneOf('outage'), ...span, '?answer': oneOf('refused', 'unavailable', 'silence') }),
  'brown-out': fields({ type: oneOf('brown-out'), ...span, capacityShare: share }),
  'slow-start': fields({ type: oneOf('slow-start'), ...span, capacityShare: share }),
  errors: fields({ type: oneOf('errors'), ...span, share }),
};

const checkTrouble: Check = (path, value) => {
  const { type, fromMs, untilMs } = (value ?? {}) as Record<string, unknown>;
  oneOf(...Object.keys(TROUBLES))(`${path}.type`, type);
  TROUBLES[type as string]?.(path, value);
  if ((untilMs as number) <= (fromMs as number)) {
    throw wrong(`${path}.untilMs`, `a number > fromMs, ${fromMs}`, untilMs);
  }
};

/** An event has room for the number of so many shards. */
const MOST_SHARDS = 32;

const checkShards: Check = (path, value) => {
  counting(path, value);
  if ((value as number) > MOST_SHARDS) throw wrong(path, `at most ${MOST_SHARDS}`, value);
};

const checkFactor: Check = (path, value) => {
  positive(path, value);
  if ((value as number) < 1) throw wrong(path, 'a number ≥ 1', value);
};

const checkServerFields = fields({
  '?shards': checkShards,
  '?shardShares': listOf(positive),
  workers: counting,
  serviceMs: positive,
  '?serviceSpread': oneOf('constant', 'exponential', 'log-normal', 'pareto'),
  '?stragglers': fields({ share, factor: checkFactor }),
  '?maxQueue': whole,
  '?queueFull': oneOf('unavailable', 'too-many'),
  '?limit': checkLimit,
  '?troubles': listOf(checkTrouble),
});

const checkServer: Check = (path, value) => {
  checkServerFields(path, value);
  const { shards = 1, shardShares, troubles = [] } = value as Scenario['server'];
  for (const [at, { shard }] of troubles.entries()) {
    if (shard !== undefined && shard >= shards)
      throw wrong(`${path}.troubles[${at}].shard`, `less than the number of shards, ${shards}`, shard);
  }
  if (shardShares !== undefined && shardShares.length !== shards)
    throw wrong(`${path}.shardShares`, `a list of ${shards} numbers, one for each shard`, shardShares);
};

/** The fields of a scenario, without its policy. */
export const SCENARIO_FIELDS: Readonly<Record<string, Check>> = {
  durationMs: positive,
  '?intervalMs': positive,
  clients: checkClients,
  server: checkServer,
  '?network': fields({ meanMs: notNegative, '?deviationMs': notNegative }),
};

const checkFields = fields({ ...SCENARIO_FIELDS, '?policy': checkPolicy });

/** More intervals would fill the memory with zeros. */
const MOST_INTERVALS = 1_000_000;

/** @throws ScenarioError if there are too many intervals */
export function checkIntervals({
  durationMs,
  intervalMs = 1_000,
}: Pick<Scenario, 'durationMs' | 'intervalMs'>): void {
  if (durationMs / intervalMs > MOST_INTERVALS) {
    throw new ScenarioError(`intervalMs divides durationMs into more than ${MOST_INTERVALS} intervals`);
  }
}

/** @throws ScenarioError for a policy that reads from answers what the server does not say */
export function checkActualCost(path: string, policy: Scenario['policy'], server: Scenario['server']): void {
  if (typeof policy !== 'object' || policy.actualCost !== true) return;
  if (server.limit !== undefined && 'limits' in server.limit) return;
  throw new ScenarioError(
    `${path}.actualCost needs a server.limit with limits and spends, which answers tell`,
  );
}

/**
 * Checks a scenario, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
export function checkScenario(value: unknown): asserts value is Scenario {
  checkFields('', value);
  const { policy, server } = value as Scenario;
  checkIntervals(value as Scenario);
  checkActualCost('policy', policy, server);
}
