import { machine } from './machine.ts';
import { markdown, number } from './markdown.ts';
import { type Column, type Part, QUARTILES, type Quantiles, type Row, type Sample } from './part.ts';
import { sampleRows } from './processes.ts';
import { quantile } from './quantiles.ts';
import { ratios, standing } from './standing.ts';

export interface ReportOptions {
  readonly rounds?: number | undefined;
  /** Measures only the rows whose name contains it. */
  readonly only?: string | undefined;
}

/** Measures a part and prints its table. */
export async function report(part: Part, partUrl: string, options: ReportOptions = {}): Promise<void> {
  const { rounds = part.rounds ?? 3, only = '' } = options;
  const rows = (await part.rows()).filter(({ name }) => name === part.reference || name.includes(only));
  const samples = await sampleRows(part, partUrl, rows, rounds);
  console.log(`**${part.title}.** ${part.note}\n`);
  console.log(part.turned ? turnedTableOf(part, samples) : tableOf(part, samples));
  const standings = part.ranked === false ? [] : standingsOf(part, samples, rounds);
  if (standings.length > 0) console.log(`\n${standings.join('\n')}`);
  console.log(
    `\n${part.inVirtualTime ? 'In virtual time: the same on every machine.' : measuredOn(part, rounds)}\n`,
  );
}

function measuredOn({ quantiles }: Part, rounds: number): string {
  return `${machine()}; ${rounds > 1 ? summary(rounds, quantiles) : 'one round'}`;
}

function groupsOf(samples: ReadonlyMap<Row, Sample[]>): string[] {
  return [...new Set([...samples.keys()].map(({ group }) => group))];
}

function summary(rounds: number, [low, middle, high]: Quantiles = QUARTILES): string {
  if (middle === 0.5) return `medians of ${rounds} rounds, with their quartiles`;
  return `percentile ${middle * 100} (${low * 100} … ${high * 100}) of ${rounds} rounds`;
}

/** The figures of the row that the others of a group are compared with. */
function referenceOf(
  { reference, quantiles: [, middle] = QUARTILES }: Part,
  samples: ReadonlyMap<Row, Sample[]>,
  group: string,
): Sample {
  const found = [...samples].find(([row]) => row.group === group && row.name === reference)?.[1] ?? [];
  const names = Object.keys(found[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      quantile(
        found.map((sample) => sample[name] ?? 0),
        middle,
      ),
    ]),
  );
}

function tableOf(part: Part, samples: ReadonlyMap<Row, Sample[]>): string {
  const { columns } = part;
  const cells: string[][] = [];
  for (const group of groupsOf(samples)) {
    const reference = referenceOf(part, samples, group);
    if (group !== '') cells.push([`**${group}**`]);
    for (const [row, taken] of samples) {
      if (row.group !== group) continue;
      cells.push([row.name, ...columns.map((column) => cellOf(column, taken, reference, part.quantiles))]);
    }
  }
  return markdown(['', ...columns.map(({ title }) => title)], cells);
}

/** Without the rows of groups that do not have a column's number. */
function turnedTableOf(
  { columns, quantiles: [, middle] = QUARTILES }: Part,
  samples: ReadonlyMap<Row, Sample[]>,
): string {
  const names = [...new Set([...samples.keys()].map(({ name }) => name))];
  const figureOf = (group: string, name: string, { value }: Column): number => {
    const taken = [...samples].find(([row]) => row.group === group && row.name === name)?.[1] ?? [];
    return quantile(
      taken.map((sample) => value(sample, {})),
      middle,
    );
  };
  const cells = columns.flatMap((column) => {
    const rows = groupsOf(samples)
      .map((group) => ({ group, figures: names.map((name) => figureOf(group, name, column)) }))
      .filter(({ figures }) => !figures.every(Number.isNaN));
    const shown = rows.map(({ group, figures }) => [
      group,
      ...figures.map((one) => number(one, column.digits)),
    ]);
    return shown.length === 0 ? [] : [[`**${column.title}**`], ...shown];
  });
  return markdown(['', ...names], cells);
}

function cellOf(
  { value, digits, spread }: Column,
  samples: readonly Sample[],
  reference: Sample,
  [low, middle, high]: Quantiles = QUARTILES,
): string {
  const values = samples.map((sample) => value(sample, reference));
  const at = (share: number): string => number(quantile(values, share), digits);
  if (!spread || values.length === 1) return at(middle);
  return `${at(middle)} (${at(low)} … ${at(high)})`;
}

function standingsOf(part: Part, samples: ReadonlyMap<Row, Sample[]>, rounds: number): string[] {
  const [column] = part.columns;
  return groupsOf(samples).flatMap((group) => {
    const reference = referenceOf(part, samples, group);
    const inGroup = [...samples].filter(([row]) => row.group === group);
    const values = new Map(
      inGroup.map(([row, taken]) => [row, taken.map((sample) => column?.value(sample, reference) ?? 0)]),
    );
    const texts = [
      // Fewer rounds have no quartiles to tell a difference from noise.
      rounds < 3 ? undefined : standing(values, part.quantiles),
      part.reference === undefined ? undefined : ratios(values, part.quantiles),
    ];
    return texts.flatMap((text) =>
      text === undefined ? [] : [`- ${group === '' ? '' : `${group}: `}${text}`],
    );
  });
}
