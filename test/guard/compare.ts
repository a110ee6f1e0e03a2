/** What ebb adds to one request. */
export interface Cost {
  /** Missing if valgrind is. */
  readonly instructions?: number;
  readonly bytes: number;
  readonly promises: number;
  readonly timers: number;
  readonly clockReads: number;
  readonly abortListeners: number;
}

/** By subject. */
export type Costs = Readonly<Record<string, Cost>>;

interface Figure {
  readonly name: keyof Cost;
  readonly title: string;
  /** A difference is tolerated up to this share of the recorded figure, or up to `amount` if that is more. */
  readonly share: number;
  readonly amount: number;
}

const FIGURES: readonly Figure[] = [
  { name: 'instructions', title: 'instructions', share: 0.02, amount: 50 },
  { name: 'bytes', title: 'bytes', share: 0.03, amount: 8 },
  { name: 'promises', title: 'promises', share: 0, amount: 0 },
  { name: 'timers', title: 'timers', share: 0, amount: 0 },
  { name: 'clockReads', title: 'clock reads', share: 0, amount: 0 },
  { name: 'abortListeners', title: 'abort listeners', share: 0, amount: 0 },
];

const text = (figure: number): string => figure.toLocaleString('en', { maximumFractionDigits: 2 });

function isTolerated({ share, amount }: Figure, recorded: number, measured: number): boolean {
  return Math.abs(measured - recorded) <= Math.max(Math.abs(recorded) * share, amount);
}

function changeOf({ title, share }: Figure, recorded: number, measured: number): string {
  const change = `${title} ${text(recorded)} → ${text(measured)}`;
  if (share === 0 || recorded <= 0) return change;
  const percent = (measured / recorded - 1) * 100;
  return `${change} (${percent > 0 ? '+' : ''}${percent.toFixed(1)} %, ${share * 100} % is tolerated)`;
}

/**
 * Returns a sentence for each figure that differs, of the subjects and figures that both sides have. Lower figures differ
 * too: a baseline above what is measured would hide a later increase.
 */
export function compare(recorded: Costs, measured: Costs): string[] {
  return Object.entries(measured).flatMap(([subject, now]) =>
    FIGURES.flatMap((figure) => {
      const before = recorded[subject]?.[figure.name];
      const after = now[figure.name];
      if (before === undefined || after === undefined || isTolerated(figure, before, after)) return [];
      return [`${subject}: ${changeOf(figure, before, after)}`];
    }),
  );
}

/** Subjects that one side lacks. */
export function unmatched(recorded: Costs, subjects: readonly string[]): string[] {
  return [
    ...subjects.filter((name) => recorded[name] === undefined),
    ...Object.keys(recorded).filter((name) => !subjects.includes(name)),
  ];
}

/** A row for each subject. A figure outside the tolerance shows what was recorded too. */
export function table(recorded: Costs, measured: Costs): string {
  const rows = Object.entries(measured).map(([subject, now]) => [
    subject,
    ...FIGURES.map((figure) => {
      const before = recorded[subject]?.[figure.name];
      const after = now[figure.name];
      if (after === undefined) return '';
      if (before === undefined || isTolerated(figure, before, after)) return text(after);
      return `${text(before)} → ${text(after)}`;
    }),
  ]);
  const lines = [['added to one request', ...FIGURES.map(({ title }) => title)], ...rows];
  const width = (at: number): number => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  const aligned = (cell: string, at: number): string =>
    at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at));
  return lines.map((line) => line.map(aligned).join('   ')).join('\n');
}
