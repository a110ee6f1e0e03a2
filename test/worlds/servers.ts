import { ofAnthropic, ofBedrock, ofOpenai, ofTokens } from './ebb.ts';
import { heldBack, likeAnthropic, likeBedrock, likeOpenai, tokensIn } from './rules.ts';
import { type Client, MAX_TOKENS, type Rule, type RunOptions } from './world.ts';

/** How ebb is used, and what else is so in the world. */
interface Case extends RunOptions {
  readonly name: string;
  readonly client: Client;
  /** The least use that a test asks for, from the beginning on. */
  readonly least: number;
  /**
   * The most refusals that a test allows, as a part of the sends.
   * @default 0.001
   */
  readonly mostRefused?: number;
  /** @default that of the server */
  readonly rule?: Rule;
}

/** A server, and what its callers can know of it. */
export interface Server {
  readonly name: string;
  readonly rule: Rule;
  /** The most that a request can use of the unit that binds. */
  boundOf(body: string): number;
  /** What a `usage` says of that unit. */
  usedIn(usage: Readonly<Record<string, number>>): number | undefined;
  readonly cases: readonly Case[];
}

export const SERVERS: readonly Server[] = [
  {
    name: 'Output is charged as it is written (Anthropic)',
    rule: likeAnthropic,
    boundOf: () => MAX_TOKENS,
    usedIn: ({ output_tokens }) => output_tokens,
    cases: [
      { name: 'anthropicLimits', client: ofAnthropic(), least: 0.92 },
      {
        name: 'anthropicLimits, a stranger takes half',
        client: ofAnthropic(),
        least: 0.98,
        strangerEveryMs: 650,
      },
      {
        name: 'anthropicLimits, answers are held for 15 s',
        client: ofAnthropic(),
        least: 0.87,
        rule: heldBack(likeAnthropic, 15_000),
      },
      {
        name: 'anthropicLimits, 8 processes with an eighth each',
        client: ofAnthropic(1 / 8),
        least: 0.92,
        processes: 8,
      },
    ],
  },
  {
    name: 'The bound is reserved, the rest comes back (Bedrock)',
    rule: likeBedrock,
    boundOf: (body) => tokensIn(body) + MAX_TOKENS,
    usedIn: ({ inputTokens = 0, outputTokens }) =>
      outputTokens === undefined ? undefined : inputTokens + outputTokens,
    cases: [
      { name: 'quotaBucket, settled', client: ofBedrock(), least: 0.98 },
      { name: 'tokenBucket, a minute, settled', client: ofTokens(1, true), least: 0.98 },
      // It refills from when a request is sent, and the server from when it arrives.
      { name: 'tokenBucket, a minute', client: ofTokens(1, false), least: 0.98, mostRefused: 0.005 },
      { name: 'tokenBucket, 0.9 minutes, settled', client: ofTokens(0.9, true), least: 0.97 },
      { name: 'tokenBucket, 0.9 minutes', client: ofTokens(0.9, false), least: 0.97 },
    ],
  },
  {
    name: 'The bound is reserved, and stays charged (OpenAI)',
    rule: likeOpenai,
    boundOf: () => MAX_TOKENS,
    usedIn: ({ completion_tokens }) => completion_tokens,
    cases: [
      { name: 'openaiLimits', client: ofOpenai(), least: 0.89 },
      {
        name: 'openaiLimits, a stranger takes half',
        client: ofOpenai(),
        least: 0.95,
        strangerEveryMs: 6_150,
        // An answer says what was left when its request came, up to ten seconds ago.
        mostRefused: 0.3,
      },
    ],
  },
];
