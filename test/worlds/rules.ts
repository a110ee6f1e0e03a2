import { lengthOf, MAX_TOKENS, type Rule, type World } from './world.ts';

/** What a model writes in a second. */
const TOKENS_PER_SECOND = 80;

const json = (status: number, body: object, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const tokensIn = (body: string): number => Math.ceil(body.length / 4.2);

const thousands = (level: number): string => String(Math.max(0, Math.round(level / 1_000) * 1_000));
const whole = (level: number): string => String(Math.max(0, Math.floor(level)));

/** Writes an answer, and says after each second how much it has written in it. */
async function write(world: World, charge: (tokens: number) => void = () => undefined): Promise<number> {
  const length = lengthOf(world);
  for (let written = 0; written < length; written += TOKENS_PER_SECOND) {
    await world.clock.sleep(1_000);
    charge(Math.min(TOKENS_PER_SECOND, length - written));
  }
  return length;
}

/** Charges input at the beginning, and output as it is written. */
export const likeAnthropic: Rule = async (world, body) => {
  const inputTokens = tokensIn(body);
  const { requests, input, output } = world;
  const left = () => ({
    'anthropic-ratelimit-requests-limit': whole(requests.aMinute),
    'anthropic-ratelimit-input-tokens-limit': whole(input.aMinute),
    'anthropic-ratelimit-output-tokens-limit': whole(output.aMinute),
    'anthropic-ratelimit-requests-remaining': whole(requests.level),
    'anthropic-ratelimit-input-tokens-remaining': thousands(input.level),
    'anthropic-ratelimit-output-tokens-remaining': thousands(output.level),
  });
  if (!(requests.has(1) && input.has(inputTokens) && output.has(0)))
    return json(429, {}, { 'retry-after': '2', ...left() });
  requests.take(1);
  input.take(inputTokens);
  const length = await write(world, (tokens) => output.take(tokens));
  return json(200, { usage: { input_tokens: inputTokens, output_tokens: length } }, left());
};

/** The same, and holds each answer for so long. */
export function heldBack(rule: Rule, durationMs: number): Rule {
  return async (world, body) => {
    const response = await rule(world, body);
    await world.clock.sleep(durationMs);
    return response;
  };
}

/** Reserves the bound at the beginning, and keeps it. What is left is said as it was then. */
export const likeOpenai: Rule = async (world) => {
  const { requests, output, clock, random } = world;
  const left = () => ({
    'x-ratelimit-remaining-requests': whole(requests.level),
    'x-ratelimit-remaining-tokens': whole(output.level),
  });
  // Refused requests count as well.
  requests.take(1);
  if (!output.has(MAX_TOKENS)) return json(429, {}, { 'retry-after': '1', ...left() });
  output.take(MAX_TOKENS);
  const said = left();
  await clock.sleep(1_000 + random() * 9_000);
  return json(200, { usage: { completion_tokens: 100 } }, said);
};

/** Reserves input and bound at the beginning, and gives back at the end what was not used. Says nothing of what is left. */
export const likeBedrock: Rule = async (world, body) => {
  const { requests, output } = world;
  const inputTokens = tokensIn(body);
  const reserved = inputTokens + MAX_TOKENS;
  if (!(requests.has(1) && output.has(reserved))) return json(429, {});
  requests.take(1);
  output.take(reserved);
  const outputTokens = await write(world);
  output.giveBack(MAX_TOKENS - outputTokens);
  return json(200, { usage: { inputTokens, outputTokens } });
};
