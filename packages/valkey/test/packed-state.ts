import type { ModelState } from './model.ts';

// The value of a bucket's key as the script packs it, to and from the state of its model; script.ts describes it.

const HEAD = [
  ...['at', 'shift', 'frame', 'epoch', 'paused', 'resumed', 'version'],
  ...['count', 'total', 'ends'],
] as const;
const RECORD = 20;

const doubles = (numbers: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(8 * numbers.length);
  for (const [place, number] of numbers.entries()) buffer.writeDoubleLE(number, 8 * place);
  return buffer;
};

export function packed(state: ModelState): Buffer {
  const { units, ghost, records, declared } = state;
  const names = units.map(({ name }) => `${name} `).join('');
  const ofUnits = units.flatMap(({ refillPerSecond, capacity, empty, given, base, turn }) => [
    ...[refillPerSecond / 1_000, capacity, empty, given, base, turn],
  ]);
  const hasLedger = state.hasLedger;
  return Buffer.concat([
    Buffer.from([235, 1, units.length]),
    doubles(HEAD.map((name) => state[name])),
    Buffer.from(`${names}\0${declared}\0`),
    doubles(ofUnits),
    hasLedger ? doubles([ghost.share, ghost.count, ghost.ends]) : Buffer.alloc(0),
    ...records.map(({ name, share, ends }) => {
      const record = Buffer.alloc(RECORD);
      record.write(name);
      record.writeUInt32LE(share, 8);
      record.writeDoubleLE(ends, 12);
      return record;
    }),
  ]);
}

export function unpacked(value: Buffer): ModelState {
  const count = value[2] as number;
  const at = (place: number): number => value.readDoubleLE(place);
  const head = Object.fromEntries(HEAD.map((name, place) => [name, at(3 + 8 * place)]));
  const names = value.indexOf(0, 3 + 8 * HEAD.length);
  const declared = value.indexOf(0, names + 1);
  const text = (from: number, to: number): string => value.subarray(from, to).toString();
  const list = text(3 + 8 * HEAD.length, names).split(' ');
  const units = Array.from({ length: count }, (_, unit) => {
    const from = declared + 1 + 48 * unit;
    const [rate, capacity, empty, given, base, turn] = [0, 1, 2, 3, 4, 5].map((place) =>
      at(from + 8 * place),
    ) as [number, number, number, number, number, number];
    return { name: list[unit] as string, refillPerSecond: rate * 1_000, capacity, empty, given, base, turn };
  });
  const ledger = declared + 1 + 48 * count;
  const hasLedger = ledger < value.length;
  const [share = 0, ghosts = 0, ends = 0] = hasLedger ? [0, 8, 16].map((place) => at(ledger + place)) : [];
  const records = [];
  for (let from = ledger + 24; from < value.length; from += RECORD) {
    const name = text(from, from + 8);
    records.push({ name, share: value.readUInt32LE(from + 8), ends: at(from + 12) });
  }
  return {
    ...(head as unknown as ModelState),
    ...{ declared: text(names + 1, declared), units, hasLedger },
    ...{ ghost: { share, count: ghosts, ends }, records },
  };
}
