import type { BucketState, ShareState, UnitState } from '../operator-call.ts';
import { inOneLine } from './one-line.ts';

/** A number of at most four digits behind the point. */
export const amount = (number: number): string => String(Number(number.toFixed(4)));
export const seconds = (ms: number): string => `${amount(Math.round(ms) / 1_000)} s`;
const percent = (share: number): string => `${amount(Math.round(share * 1_000) / 10)} %`;

/** Columns with two spaces between them; numbers stand right. Names come from others: a terminal must not obey them. */
function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(inOneLine));
  const [head = [], ...others] = rows;
  const widths = head.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const isNumber = head.map((_, at) => others.every((row) => /^[\d<-]/.test(row[at] ?? '')));
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          isNumber[at] ? cell.padStart(widths[at] as number) : cell.padEnd(widths[at] as number),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Whether an operator, or a program by `setLimits`, has set other limits than a process has declared. */
function isSet({ declared, units }: BucketState): boolean {
  return declared.some(({ name, refillPerSecond, capacity }) => {
    const unit = units.find((other) => other.name === name);
    return unit !== undefined && (unit.refillPerSecond !== refillPerSecond || unit.capacity !== capacity);
  });
}

export const unitName = ({ name }: Pick<UnitState, 'name'>): string => name ?? '(one)';

/** The sum of all shares, those of missing processes as well. */
export const sharesOf = ({ processes, missing }: BucketState): string =>
  percent(processes.reduce((sum, { share }) => sum + share, missing.share));

const shareRow = (name: string, { share, expiresInMs }: ShareState): string[] => [
  ...[name, percent(share), seconds(expiresInMs)],
];

function processesText({ processes, missing }: BucketState): string {
  if (processes.length === 0 && missing.processes === 0) return 'no process holds a share';
  const rows = processes.map(({ name, ...share }) => shareRow(name, share));
  const lost =
    missing.processes === 0 ? [] : [shareRow(`${missing.processes} not back after a loss`, missing)];
  return table([['process', 'share', 'expires in'], ...rows, ...lost]);
}

/** A bucket as text. */
export function bucketText(key: string, state: BucketState): string {
  const { version, units, pausedMs, closedMs, writtenMsAgo, aheadMs, expiresInMs, bytes } = state;
  const notes = [
    `limits of version ${version}${isSet(state) ? ', set: processes declare others' : ''}`,
    ...(pausedMs > 0 ? [`paused for ${seconds(pausedMs)}`] : []),
    ...(closedMs > 0 ? [`closed after an outage for ${seconds(closedMs)}`] : []),
    `written ${seconds(writtenMsAgo)} ago`,
    ...(aheadMs === 0 ? [] : [`its time is ${seconds(aheadMs)} ahead of the clock, which was set`]),
    `${bytes} bytes${expiresInMs === undefined ? '' : `, expires in ${seconds(expiresInMs)}`}`,
  ];
  const limits = units.map((unit) => [
    ...[unitName(unit), amount(unit.refillPerSecond), amount(unit.capacity), amount(unit.tokens)],
  ]);
  return [
    inOneLine(key),
    notes.join('\n'),
    '',
    table([['unit', 'rate/s', 'capacity', 'tokens'], ...limits]),
    '',
    `${processesText(state)}`,
    '',
  ].join('\n');
}

/** Many buckets as a table: a row for each unit. */
export function bucketsText(buckets: readonly (readonly [key: string, state: BucketState])[]): string {
  const rows = buckets.flatMap(([key, state]) =>
    state.units.map((unit) => [
      ...[key, unitName(unit), amount(unit.refillPerSecond), amount(unit.capacity)],
      ...[amount(unit.tokens), `${state.processes.length + state.missing.processes}`, sharesOf(state)],
      ...[seconds(state.pausedMs), `${state.version}${isSet(state) ? ' set' : ''}`],
    ]),
  );
  const head = ['key', 'unit', 'rate/s', 'capacity', 'tokens', 'processes', 'shares', 'paused', 'version'];
  return table([head, ...rows]);
}

/** A bucket as JSON. A unit without a name has `null`. */
export const bucketJson = (key: string, state: BucketState): object => ({
  key,
  ...state,
  ...{ isSet: isSet(state), units: named(state.units), declared: named(state.declared) },
});

const named = (units: readonly { readonly name: string | undefined }[]): object[] =>
  units.map((unit) => ({ ...unit, name: unit.name ?? null }));
