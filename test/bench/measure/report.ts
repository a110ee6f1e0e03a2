import { machine } from './machine.ts';
import { markdown, number } from './markdown.ts';
import type { Column, Part, Row, Sample } from './part.ts';
import { sampleRows } from './processes.ts';
import { median, quantile } from './quantiles.ts';
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

/** The medians of the row that the others of a group are compared with. */
function referenceOf({ reference }: Part, samples: ReadonlyMap<Row, Sample[]>, group: string): Sample {
  const found = [...samples].find(([row]) => row.group === group && row.name === reference)?.[1] ?? [];
  const names = Object.keys(found[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(found.map((sample) => sample[name] ?? 0))]));
}

function tableOf(part: Part, samples: ReadonlyMap<Row, Sample[]>): string {
  const { columns } = part;
  const cells: string[][] = [];
  for (const group of groupsOf(samples)) {
    const reference = referenceOf(part, samples, group);
    if (group !== '') cells.push([`**${group}**`]);
    for (const [row, taken] of samples) {
      if (row.group !== group) continue;
      cells.push([row.name, ...columns.map((column) => cellOf(column, taken, reference))]);
    }
  }
  return markdown(['', ...columns.map(({ title }) => title)], cells);
}

function cellOf({ value, digits, spread }: Column, samples: readonly Sample[], reference: Sample): string {
  const values = samples.map((sample) => value(sample, reference));
  const middle = number(median(values), digits);
  if (!spread || values.length === 1) return middle;
  return `${middle} (${number(quantile(values, 0.25), digits)} … ${number(quantile(values, 0.75), digits)})`;
}

function standingsOf(part: Part, samples: ReadonlyMap<Row, Sample[]>): string[] {
  const [column] = part.columns;
  return groupsOf(samples).flatMap((group) => {
    const reference = referenceOf(part, samples, group);
    const inGroup = [...samples].filter(([row]) => row.group === group);
    const values = new Map(
      inGroup.map(([row, taken]) => [row, taken.map((sample) => column?.value(sample, reference) ?? 0)]),
    );
    const texts = [standing(values), part.reference === undefined ? undefined : ratios(values)];
    return texts.flatMap((text) =>
      text === undefined ? [] : [`- ${group === '' ? '' : `${group}: `}${text}`],
    );
  });
}
