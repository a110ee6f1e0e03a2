import { type ModelState, type model, type ScriptReply, withLimit } from './model.ts';

// What the operator's script does for `setLimits`, in TypeScript, over the state of the bucket's model.

/** Rates and capacities in turns. */
const pairsOf = (text: string): [rate: number, capacity: number][] => {
  const numbers = text.split(' ').map(Number);
  return Array.from({ length: numbers.length / 2 }, (_, pair) => [
    numbers[2 * pair] as number,
    numbers[2 * pair + 1] as number,
  ]);
};

const namesOf = (text: string): string[] => text.split(' ').slice(0, -1);

function made(
  [declared = '', names = '', limits = '', version = '']: readonly string[],
  real: number,
): ModelState {
  const pairs = pairsOf(limits);
  const units = namesOf(names).map((name, unit) => {
    const [rate, capacity] = pairs[unit] as [number, number];
    const full = Math.ceil(real - capacity / rate);
    return { name, refillPerSecond: rate * 1_000, capacity, empty: full, given: 0, base: full, turn: 0 };
  });
  return {
    ...{ at: real, shift: 0, frame: real, epoch: real, paused: 0, resumed: 0, version: Number(version) },
    ...{ count: 0, total: 0, ends: 0, declared, units, hasLedger: false, records: [] },
    ghost: { share: 0, count: 0, ends: 0 },
  };
}

/** Returns a status other than 1, or what was set. */
function set(
  s: ModelState,
  isMade: boolean,
  [version, names = '', limits = '']: readonly string[],
  now: number,
): number {
  const pairs = pairsOf(limits);
  const changes: [unit: number, rate: number, capacity: number][] = [];
  for (const [at, name] of namesOf(names).entries()) {
    const unit = s.units.findIndex((other) => other.name === name);
    if (unit < 0) return 3;
    const [rate, capacity] = pairs[at] as [number, number];
    const { refillPerSecond, capacity: before } = s.units[unit] as ModelState['units'][number];
    if (refillPerSecond !== rate * 1_000 || before !== capacity) changes.push([unit, rate, capacity]);
  }
  if (changes.length === 0) return isMade ? 1 : 0;
  if (!isMade && s.version !== Number(version)) return 2;
  for (const [unit, rate, capacity] of changes) {
    s.units[unit] = withLimit(s.units[unit] as ModelState['units'][number], rate, capacity, now);
  }
  s.version += 1;
  return 1;
}

/** Changes limits, as {@link model} runs a call. The reply does not say how long the key lives. */
export function operatorModel(
  text: string | undefined,
  [, ...rest]: readonly string[],
  real: number,
): ReturnType<typeof model> {
  const isMade = text === undefined;
  const s = isMade ? made(rest.slice(3), real) : (JSON.parse(text) as ModelState);
  const now = Math.max(real + s.shift, s.at);
  const { version } = s;
  const status = set(s, isMade, rest, now);
  if (status > 1) return { reply: status === 2 ? [2, version] : [3], text };
  const { ghost } = s;
  const reply: ScriptReply = [
    ...[1, now, s.shift, s.at, s.epoch, s.paused, s.resumed, s.version, -1, 0, s.units.length],
    ...s.units.flatMap(({ name, refillPerSecond, capacity, empty }) => [
      ...[name, String(refillPerSecond / 1_000), String(capacity), empty],
    ]),
    ...[s.declared, ghost.count, ghost.share, ghost.ends],
  ];
  return { reply, text: status === 1 ? JSON.stringify(s) : text };
}
