/** Figures of one subject, by name. Missing if the tool that measures it is. */
export type Figures = Readonly<Partial<Record<string, number>>>;

/** By subject. */
export type Costs = Readonly<Record<string, Figures>>;

interface Figure {
  readonly name: string;
  readonly title: string;
  /** A difference is tolerated up to this share of the recorded figure, or up to `amount` if that is more. */
  readonly share: number;
  readonly amount: number;
  /** How much it may grow, in place of both. */
  readonly growth?: number;
}

/** What is compared of the subjects of one table. */
export interface Kind {
  readonly title: string;
  readonly figures: readonly Figure[];
}

const counted = (name: string, title: string): Figure => ({ name, title, share: 0, amount: 0 });

/** What ebb adds to one request. */
export const REQUESTS: Kind = {
  title: 'added to one request',
  figures: [
    { name: 'instructions', title: 'interpreted', share: 0.02, amount: 50 },
    { name: 'compiled', title: 'compiled', share: 0.05, amount: 100 },
    { name: 'withBare', title: 'compiled, with the bare request', share: 0.05, amount: 100 },
    { name: 'bytes', title: 'bytes', share: 0.03, amount: 8 },
    counted('promises', 'promises'),
    counted('timers', 'timers'),
    counted('clockReads', 'clock reads'),
    counted('abortListeners', 'abort listeners'),
  ],
};

/** Brotli takes up to 64 bytes more or less for code that is as long as before, in another order. */
const bytes = (name: string, title: string): Figure => ({ name, title, share: 0.01, amount: 30, growth: 70 });

/** The bytes of a program, minified and compressed by brotli. */
export const SIZES: Kind = {
  title: 'bytes of a bundle, brotli',
  figures: [bytes('web', 'web'), bytes('node', 'Node')],
};

/** How far a reader goes to follow one request. */
export const PATHS: Kind = {
  title: 'path of a request',
  figures: [counted('files', 'files'), counted('moves', 'moves'), counted('functions', 'functions')],
};

/** How many files the longest chain of imports in a package has. */
export const CHAINS: Kind = {
  title: 'longest chain of imports',
  figures: [counted('types', 'with types'), counted('values', 'values')],
};

/** What the import of an adapter adds to a program that imports its client alone. */
export const IMPORTS: Kind = {
  title: 'added to the start of a program',
  figures: [
    counted('files', 'files'),
    { name: 'thousands', title: 'thousand instructions', share: 0.03, amount: 1_000 },
    // Shown only: it is that of this machine at this moment.
    { name: 'ms', title: 'ms of CPU', share: Number.POSITIVE_INFINITY, amount: Number.POSITIVE_INFINITY },
  ],
};

const text = (figure: number): string => figure.toLocaleString('en', { maximumFractionDigits: 2 });

function isTolerated({ share, amount, growth }: Figure, recorded: number, measured: number): boolean {
  if (growth !== undefined && measured > recorded) return measured - recorded <= growth;
  return Math.abs(measured - recorded) <= Math.max(Math.abs(recorded) * share, amount);
}

function changeOf({ title, share, growth }: Figure, recorded: number, measured: number): string {
  const change = `${title} ${text(recorded)} → ${text(measured)}`;
  if (growth !== undefined && measured > recorded) return `${change} (${growth} more are tolerated)`;
  if (share === 0 || recorded <= 0) return change;
  const percent = (measured / recorded - 1) * 100;
  return `${change} (${percent > 0 ? '+' : ''}${percent.toFixed(1)} %, ${share * 100} % is tolerated)`;
}

/**
 * Returns a sentence for each figure that differs, of the subjects and figures that both sides have. Lower figures differ
 * too: a baseline above what is measured would hide a later increase.
 */
export function compare({ figures }: Kind, recorded: Costs, measured: Costs): string[] {
  return Object.entries(measured).flatMap(([subject, now]) =>
    figures.flatMap((figure) => {
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

/** A row for each subject. A figure outside the tolerance shows what was recorded too, and one above its goal the goal. */
export function table({ title, figures }: Kind, recorded: Costs, measured: Costs, goals: Costs = {}): string {
  const rows = Object.entries(measured).map(([subject, now]) => [
    subject,
    ...figures.map((figure) => {
      const before = recorded[subject]?.[figure.name];
      const after = now[figure.name];
      const { [figure.name]: goal = Infinity } = goals[subject] ?? {};
      if (after === undefined) return '';
      const change = before === undefined || isTolerated(figure, before, after) ? '' : `${text(before)} → `;
      return `${change}${text(after)}${after > goal ? ` (goal ${text(goal)})` : ''}`;
    }),
  ]);
  const lines = [[title, ...figures.map((figure) => figure.title)], ...rows];
  const width = (at: number): number => Math.max(...lines.map((line) => line[at]?.length ?? 0));
  const aligned = (cell: string, at: number): string =>
    at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at));
  return lines.map((line) => line.map(aligned).join('   ')).join('\n');
}
