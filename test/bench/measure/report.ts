import { machine } from './machine.ts';
import { markdown, number } from './markdown.ts';
import type { Column, Part, Row, Sample } from './part.ts';
import { sampleRows } from './processes.ts';
import { median, quantile } from './quantiles.ts';
import { standing } from './standing.ts';

export interface ReportOptions {
  readonly rounds?: number | undefined;
  /** Measures only the rows whose name contains it. */
  readonly only?: string | undefined;
}

/** Measures a part and prints its table. */
export async function report(part: Part, partUrl: string, options: ReportOptions = {}): Promise<void> {
  const { rounds = part.rounds ?? 3, only = '' } = options;
  const rows = (await part.rows()).filter(({ name }) => name.includes(only));
  const samples = await sampleRows(part, partUrl, rows, rounds);
  console.log(`**${part.title}.** ${part.note}\n`);
  console.log(tableOf(part, samples));
  // Fewer have no quartiles to tell a difference from noise.
  const standings = part.ranked === false || rounds < 3 ? [] : standingsOf(part, samples);
  if (standings.length > 0) console.log(`\n${standings.join('\n')}`);
  const spread = rounds > 1 ? `; medians of ${rounds} rounds, with their quartiles` : '; one round';
  console.log(`\n${machine()}${spread}\n`);
}

function groupsOf(samples: ReadonlyMap<Row, Sample[]>): string[] {
  return [...new Set([...samples.keys()].map(({ group }) => group))];
}

function tableOf({ columns }: Part, samples: ReadonlyMap<Row, Sample[]>): string {
  const cells: string[][] = [];
  for (const group of groupsOf(samples)) {
    if (group !== '') cells.push([`**${group}**`]);
    for (const [row, taken] of samples) {
      if (row.group === group) cells.push([row.name, ...columns.map((column) => cellOf(column, taken))]);
    }
  }
  return markdown(['', ...columns.map(({ title }) => title)], cells);
}

function cellOf({ value, digits, spread }: Column, samples: readonly Sample[]): string {
  const values = samples.map(value);
  const middle = number(median(values), digits);
  if (!spread || values.length === 1) return middle;
  return `${middle} (${number(quantile(values, 0.25), digits)} … ${number(quantile(values, 0.75), digits)})`;
}

function standingsOf({ columns }: Part, samples: ReadonlyMap<Row, Sample[]>): string[] {
  const [column] = columns;
  return groupsOf(samples).flatMap((group) => {
    const inGroup = [...samples].filter(([row]) => row.group === group);
    const values = new Map(
      inGroup.map(([row, taken]) => [row, taken.map((sample) => column?.value(sample) ?? 0)]),
    );
    const text = standing(values);
    return text === undefined ? [] : [`- ${group === '' ? '' : `${group}: `}${text}`];
  });
}
