import { parseArgs } from 'node:util';

/** A command line that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for. */
export interface Arguments {
  readonly help: boolean;
  /** A study's name or a file. */
  readonly subject: string | undefined;
  readonly seed: number | undefined;
  readonly svg?: string | undefined;
  readonly csv?: string | undefined;
  readonly json?: string | undefined;
}

const FILE = { type: 'string' } as const;

/** @throws UsageError for what is not understood */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const [subject, second] = positionals;
  if (second !== undefined) throw new UsageError(`one study at a time: ${subject}, or ${second}?`);
  return { ...values, help: values.help ?? false, subject, seed: seedOf(values.seed) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { seed: FILE, svg: FILE, csv: FILE, json: FILE, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function seedOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--seed takes a whole number of up to nine digits, and was given ${text}`);
  return Number(text);
}
