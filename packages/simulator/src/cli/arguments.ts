import { parseArgs } from 'node:util';
import type { RaceSettings } from '../race/comparison.ts';

/** A wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The parsed command line. */
export interface Arguments {
  readonly help: boolean;
  readonly version: boolean;
  /** The name of a study, or a file. */
  readonly subject: string | undefined;
  readonly seed: number | undefined;
  readonly svg?: string | undefined;
  readonly csv?: string | undefined;
  readonly json?: string | undefined;
  /** The given settings of the article's race; `undefined` if there are none. */
  readonly race: Partial<RaceSettings> | undefined;
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const RACE_OPTIONS = ['base', 'cap', 'clients', 'network'] as const;
/** The study with these options. */
const RACE = 'aws';

/** @throws UsageError for a wrong command line */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const [subject, second] = positionals;
  if (second !== undefined) throw new UsageError(`expected one study or file, got ${subject} and ${second}`);
  const { help = false, version = false, svg, csv, json } = values;
  const others = RACE_OPTIONS.filter((name) => values[name] !== undefined);
  if (subject !== RACE && others[0] !== undefined)
    throw new UsageError(`--${others[0]} is an option of ${RACE}, not of ${subject ?? 'ebb-sim'}`);
  const race = others.length === 0 ? undefined : raceOf(values);
  return { help, version, subject, seed: seedOf(values.seed), svg, csv, json, race };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ seed: TEXT, svg: TEXT, csv: TEXT, json: TEXT },
        ...{ base: TEXT, cap: TEXT, clients: TEXT, network: TEXT },
        ...{ help: { ...FLAG, short: 'h' }, version: FLAG },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function seedOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--seed must be a whole number of up to nine digits, got ${text}`);
  return Number(text);
}

/** Numbers without signs and exponents, such as 5 and 0.5. */
function numbersOf(text: string): number[] {
  return text.split(',').map((part) => (/^\d{1,9}(\.\d{1,9})?$/.test(part) ? Number(part) : Number.NaN));
}

function positiveMs(option: string, text: string): number {
  const [ms = Number.NaN, ...others] = numbersOf(text);
  if (!(ms > 0) || others.length > 0)
    throw new UsageError(`${option} must be a number of milliseconds > 0, got ${text}`);
  return ms;
}

function clientsOf(text: string): number[] {
  const clients = numbersOf(text);
  if (!clients.every((count) => Number.isInteger(count) && count >= 1))
    throw new UsageError(`--clients must be whole numbers ≥ 1, with commas between them, got ${text}`);
  return [...new Set(clients)].sort((a, b) => a - b);
}

function networkOf(text: string): Pick<RaceSettings, 'networkMeanMs' | 'networkDeviationMs'> {
  const [networkMeanMs = Number.NaN, networkDeviationMs = 0, ...others] = numbersOf(text);
  if (!(networkMeanMs > 0 && networkDeviationMs >= 0) || others.length > 0) {
    throw new UsageError(
      `--network must be a mean in milliseconds > 0, optionally with a comma and a deviation ≥ 0, got ${text}`,
    );
  }
  return { networkMeanMs, networkDeviationMs };
}

type RaceArguments = Readonly<Partial<Record<(typeof RACE_OPTIONS)[number], string>>>;

function raceOf({ base, cap, clients, network }: RaceArguments): Partial<RaceSettings> {
  return {
    ...(base !== undefined && { baseMs: positiveMs('--base', base) }),
    ...(cap !== undefined && { capMs: positiveMs('--cap', cap) }),
    ...(clients !== undefined && { clients: clientsOf(clients) }),
    ...(network !== undefined && networkOf(network)),
  };
}
