import { SERVERS } from '../../worlds/servers.ts';
import { run, type Seen } from '../../worlds/world.ts';
import type { Part, Sample } from '../measure/part.ts';
import { rival, rivalsIn } from '../rivals/folder.ts';
import type { ModelLimiterRival } from '../rivals/model-limiter.ts';
import { clientOf } from './rival-client.ts';

const FOLDER = 'model-limiter';
const SEEDS = [1, 2, 3];

const mean = (seen: readonly Seen[], of: (one: Seen) => number): number =>
  seen.reduce((sum, one) => sum + of(one), 0) / seen.length;

function sampleOf(seen: readonly Seen[]): Sample {
  return {
    use: mean(seen, ({ use }) => use),
    lost: mean(seen, ({ lost }) => lost),
    steadyUse: mean(seen, ({ steadyUse }) => steadyUse),
    refused: mean(seen, ({ refused }) => refused),
    sent: mean(seen, ({ sent }) => sent),
  };
}

export default {
  title: 'The use of a quota of a language model',
  note:
    '400 callers that always want more, for 6 minutes of virtual time; answers of lognormal length, 300 tokens in the median, which are ' +
    'asked for with `max_tokens` 4,096 and written at 80 a second. The account has 1,000 requests, 400,000 tokens of input and 80,000 of ' +
    'output a minute (or 80,000 of the only kind that it counts): these bind. Its server holds a minute of them, is full at the ' +
    'beginning and refills continuously. *used*: what it has charged and not given back, ÷ the minute at the beginning and what came ' +
    'in since. *lost*: the part of that which came in or back while it was full; the rest is left at the end. *from minute 2*: what it ' +
    'has charged since then ÷ what came in since, which is more than 100 if it had more left then than at the end. *refused*: the part of ' +
    'the sends that got a 429. The use of a stranger counts, and his refusals do not. Means of three seeds. Each library counts the ' +
    'tokens that bind; LiteLLM and the cookbook are programs in Python, of which the published rule is modelled.',
  columns: [
    { title: 'used, %', value: ({ use = 0 }) => use * 100, digits: 1 },
    { title: 'lost, %', value: ({ lost = 0 }) => lost * 100, digits: 1 },
    { title: 'from minute 2, %', value: ({ steadyUse = 0 }) => steadyUse * 100, digits: 1 },
    { title: 'refused, %', value: ({ refused = 0 }) => refused * 100, digits: 2 },
    { title: 'sends', value: ({ sent = 0 }) => sent },
  ],
  ranked: false,
  rounds: 1,
  async rows() {
    const rivals = rivalsIn(FOLDER);
    const named = await Promise.all(
      rivals.map(async (name) => `${name}: ${(await rival<ModelLimiterRival>(FOLDER, name)).used}`),
    );
    return SERVERS.flatMap(({ name: group, cases }) => [
      ...cases.map(({ name }) => ({ group, name: `ebb, ${name}` })),
      ...named.map((name) => ({ group, name })),
    ]);
  },
  async measure({ group, name }) {
    const server = SERVERS.find((one) => one.name === group) as (typeof SERVERS)[number];
    const own = server.cases.find((one) => name === `ebb, ${one.name}`);
    const [rivalName = ''] = name.split(':');
    const client = own?.client ?? clientOf(await rival<ModelLimiterRival>(FOLDER, rivalName), server);
    const seen: Seen[] = [];
    for (const seed of SEEDS) seen.push(await run(own?.rule ?? server.rule, client, { ...own, seed }));
    return sampleOf(seen);
  },
} satisfies Part;
