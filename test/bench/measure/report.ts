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
  console.log(part.turned ? turnedTableOf(part, samples) : tableOf(part, samples));
  const standings = part.ranked === false ? [] : standingsOf(part, samples, rounds);
  if (standings.length > 0) console.log(`\n${standings.join('\n')}`);
  console.log(
    `\n${part.inVirtualTime ? 'In virtual time: the same on every machine.' : measuredOn(rounds)}\n`,
  );
}

function measuredOn(rounds: number): string {
  return `${machine()}; ${rounds > 1 ? `medians of ${rounds} rounds, with their quartiles` : 'one round'}`;
}

function groupsOf(samples: ReadonlyMap<Row, Sample[]>): string[] {
  return [...new Set([...samples.keys()].map(({ group }) => group))];
}

function tableOf(part: Part, samples: ReadonlyMap<Row, Sample[]>): string {
  const { columns } = part;
  const cells: string[][] = [];
  for (const group of groupsOf(samples)) {
    if (group !== '') cells.push([`**${group}**`]);
    for (const [row, taken] of samples) {
      if (row.group !== group) continue;
      cells.push([row.name, ...columns.map((column) => cellOf(column, taken))]);
    }
  }
  return markdown(['', ...columns.map(({ title }) => title)], cells);
}

/** Without the rows of groups that do not have a column's number. */
function turnedTableOf({ columns }: Part, samples: ReadonlyMap<Row, Sample[]>): string {
  const names = [...new Set([...samples.keys()].map(({ name }) => name))];
  const figureOf = (group: string, name: string, { value }: Column): number => {
    const taken = [...samples].find(([row]) => row.group === group && row.name === name)?.[1] ?? [];
    return median(taken.map(value));
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

function cellOf({ value, digits, spread }: Column, samples: readonly Sample[]): string {
  const values = samples.map(value);
  const at = (share: number): string => number(quantile(values, share), digits);
  if (!spread || values.length === 1) return at(0.5);
  return `${at(0.5)} (${at(0.25)} … ${at(0.75)})`;
}

function standingsOf(part: Part, samples: ReadonlyMap<Row, Sample[]>, rounds: number): string[] {
  const [column] = part.columns;
  // Fewer rounds have no quartiles to tell a difference from noise.
  if (column === undefined || rounds < 3) return [];
  return groupsOf(samples).flatMap((group) => {
    const inGroup = [...samples].filter(([row]) => row.group === group);
    const text = standing(new Map(inGroup.map(([row, taken]) => [row, taken.map(column.value)])));
    return text === undefined ? [] : [`- ${group === '' ? '' : `${group}: `}${text}`];
  });
}
