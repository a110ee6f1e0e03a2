import { type Compared, isEarly, type Sent, type Verdict } from './compare.ts';
import type { Ended, Endings } from './endings.ts';
import type { Row, Sdk } from './sdk.ts';

/** The page with the tables. */
export const PAGE = 'docs/sdks.md';

const SIGNS: Readonly<Record<Verdict, string>> = { better: '+', equal: '=', worse: '−', 'too early': '!' };

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}

/** What a request came to, in a few words. */
function words(sent: Sent, row: Row): string {
  const [firstMs] = sent.gapsMs;
  if (firstMs === undefined) return 'error';
  const again = sent.gapsMs.map(seconds).join(', ');
  const early = isEarly(sent, row) ? ', too early' : '';
  const end = sent.isGood ? '' : ', error';
  return again + early + end;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function repeatsByDefault(sdk: Sdk): boolean {
  return sdk.preset({}).methods === sdk.preset({ repeatPosts: true }).methods;
}

function differs({ careful, repeated, row }: Compared): boolean {
  return words(careful, row) !== words(repeated, row);
}

function detailsOf(sdk: Sdk, compared: readonly Compared[]): string {
  const repeatedCell = ({ repeated, repeatedVerdict, row }: Compared): string =>
    `${SIGNS[repeatedVerdict]} ${words(repeated, row)}`;
  const carefulCell = ({ careful, carefulVerdict, row }: Compared): string =>
    `${SIGNS[carefulVerdict]} ${words(careful, row)}`;
  const hasBoth = compared.some(differs);
  const isRepeating = repeatsByDefault(sdk);
  const byDefault = `ebb, \`${sdk.presetName}\``;
  const repeatedHead = isRepeating || !hasBoth ? byDefault : '`repeatPosts: true`';
  const carefulHead = isRepeating ? '`repeatPosts: false`' : byDefault;
  const columns = !hasBoth
    ? [[repeatedHead, repeatedCell] as const]
    : isRepeating
      ? [[repeatedHead, repeatedCell] as const, [carefulHead, carefulCell] as const]
      : [[carefulHead, carefulCell] as const, [repeatedHead, repeatedCell] as const];
  const rows = compared.map((one) => {
    return [one.row.name, words(one.alone, one.row), ...columns.map(([, cellOf]) => cellOf(one))];
  });
  return table(['first response', 'the SDK alone', ...columns.map(([head]) => head)], rows);
}

function summaryOf(sdks: readonly Sdk[], tables: ReadonlyMap<string, readonly Compared[]>): string {
  const counts = (verdicts: readonly Verdict[]): string[] =>
    (['better', 'equal', 'worse', 'too early'] as const).map((verdict) =>
      String(verdicts.filter((one) => one === verdict).length),
    );
  const rows = sdks.map((sdk) => {
    const compared = tables.get(sdk.name) ?? [];
    const earlyAlone = compared.filter(({ alone, row }) => isEarly(alone, row)).length;
    const repeated = counts(compared.map(({ repeatedVerdict }) => repeatedVerdict));
    const careful = counts(compared.map(({ carefulVerdict }) => carefulVerdict));
    const isRepeating = repeatsByDefault(sdk);
    const own = isRepeating ? repeated : careful;
    return [
      sdk.name,
      compared.length,
      earlyAlone,
      repeated.join(' / '),
      careful.join(' / '),
      own.join(' / '),
    ].map(String);
  });
  return table(
    [
      'SDK',
      'rows',
      'alone: too early',
      '`repeatPosts: true`',
      '`repeatPosts: false`',
      "the preset's default",
    ],
    rows,
  );
}

function endingsTable(sdks: readonly Sdk[], endings: ReadonlyMap<string, Endings>): string {
  const cell = (ended: Ended | undefined): string =>
    ended === undefined
      ? ''
      : ended.errors.map((name) => (name === 'reason' ? name : `\`${name}\``)).join(' ← ');
  const rows = sdks.map(({ name }) => {
    const { abort, timeout, reset, refused } = endings.get(name) ?? {};
    return [name, ...[abort, timeout, reset, refused].map(cell)];
  });
  return table(
    ['SDK', "the caller's abort", "the SDK's timeout", 'every connection breaks', 'every response is a 429'],
    rows,
  );
}

/** A table below a line that opens it. GitHub needs the empty lines. */
function folded(summary: string, rows: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${rows}\n\n</details>`;
}

/** How the rows of an SDK end with the preset's default. */
function countsOf(sdk: Sdk, compared: readonly Compared[]): string {
  const verdicts = compared.map((one) => (repeatsByDefault(sdk) ? one.repeatedVerdict : one.carefulVerdict));
  const count = (verdict: Verdict): number => verdicts.filter((one) => one === verdict).length;
  const early = compared.filter(({ alone, row }) => isEarly(alone, row)).length;
  const ends = `ebb ends ${count('better')} better, ${count('equal')} equal, ${count('worse')} worse`;
  return `${compared.length} rows: ${ends}; alone the SDK is too early in ${early}`;
}

/** Replaces what stands between the markers of a name. */
function between(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- table: ${name} -->`, '<!-- /table -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${PAGE} has no place for the table of ${name}`);
  return `${page.slice(0, from + start.length)}\n${text}\n${page.slice(to)}`;
}

/** The page with the tables of a run. */
export function withTables(
  page: string,
  sdks: readonly Sdk[],
  tables: ReadonlyMap<string, readonly Compared[]>,
  endings: ReadonlyMap<string, Endings>,
): string {
  let updated = between(page, 'all', summaryOf(sdks, tables));
  updated = between(
    updated,
    'endings',
    folded(`The errors of ${sdks.length} SDKs`, endingsTable(sdks, endings)),
  );
  for (const sdk of sdks) {
    const compared = tables.get(sdk.name) ?? [];
    updated = between(updated, sdk.name, folded(countsOf(sdk, compared), detailsOf(sdk, compared)));
  }
  return updated;
}
