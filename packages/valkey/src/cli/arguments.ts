import { parseArgs } from 'node:util';
import { check, type Quota } from '@ebb/core/bucket';

/** A wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Command = 'inspect' | 'watch' | 'set' | 'leave' | 'reset';

/** The arguments of each command, and its own options. */
const COMMANDS: Readonly<
  Record<Command, { readonly takes: readonly [string, string?]; readonly options: readonly string[] }>
> = {
  inspect: { takes: ['KEY'], options: [] },
  watch: { takes: ['PREFIX'], options: ['once'] },
  set: { takes: ['KEY'], options: ['rate', 'capacity', 'unit', 'if-version', 'yes'] },
  leave: { takes: ['KEY', 'PROCESS'], options: ['yes'] },
  reset: { takes: ['KEY'], options: ['yes'] },
};

export type ClientName = 'iovalkey' | 'ioredis' | 'redis' | '@valkey/valkey-glide';

const CLIENTS: readonly ClientName[] = ['iovalkey', 'ioredis', 'redis', '@valkey/valkey-glide'];

/** Where the store is, and through which client it is reached. */
export interface Target {
  readonly url: URL;
  readonly cluster: boolean;
  /** The clients to try, in this order. */
  readonly clients: readonly ClientName[];
}

/** The parsed command line. */
export interface Arguments {
  readonly command: Command;
  /** The name of a bucket; for `watch`, the beginning of the names. */
  readonly key: string;
  readonly process: string;
  readonly prefix: string;
  readonly target: Target;
  readonly json: boolean;
  readonly once: boolean;
  readonly yes: boolean;
  readonly unit: string | undefined;
  readonly limit: Partial<Quota>;
  readonly ifVersion: number | undefined;
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const OPTIONS = {
  ...{ url: TEXT, prefix: TEXT, client: TEXT, cluster: FLAG, json: FLAG },
  ...{ help: { ...FLAG, short: 'h' }, version: FLAG },
  ...{ rate: TEXT, capacity: TEXT, unit: TEXT, 'if-version': TEXT, yes: FLAG, once: FLAG },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    // Some of its messages have several lines.
    throw new UsageError((error as Error).message.replaceAll('\n', ' '));
  }
}

/**
 * @param environment has the default of `--url`
 * @throws UsageError for a wrong command line
 */
export function readArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments | 'help' | 'version' {
  const { values, positionals } = parse(args);
  const [command, ...subjects] = positionals;
  if (values.help || (command === undefined && !values.version)) return 'help';
  if (values.version) return 'version';
  if (!isCommand(command))
    throw new UsageError(`there is no command ${command}; there are ${Object.keys(COMMANDS).join(', ')}`);
  const { takes, options } = COMMANDS[command];
  const others = Object.keys(values).find((name) => isOwn(name) && !options.includes(name));
  if (others !== undefined) throw new UsageError(`--${others} is no option of ${command}`);
  // `watch` alone is for all buckets.
  const [key, process = ''] = command === 'watch' && subjects.length === 0 ? [''] : subjects;
  if (key === undefined || subjects.length > takes.length || (takes.length > 1 && process === ''))
    throw new UsageError(`${command} takes ${takes.join(' and ')}, got ${subjects.join(' ') || 'nothing'}`);
  const limit = {
    ...(values.rate !== undefined && { refillPerSecond: amountOf('--rate', values.rate) }),
    ...(values.capacity !== undefined && { capacity: amountOf('--capacity', values.capacity) }),
  };
  if (command === 'set' && Object.keys(limit).length === 0)
    throw new UsageError('set takes --rate, --capacity or both');
  return {
    ...{ command, process, limit, unit: values.unit },
    key: withoutBraces(takes[0], key),
    prefix: withoutBraces('--prefix', values.prefix ?? 'ebb:'),
    target: {
      url: urlOf(values.url ?? environment.VALKEY_URL ?? 'redis://127.0.0.1:6379'),
      cluster: values.cluster ?? false,
      clients: values.client === undefined ? CLIENTS : [clientOf(values.client)],
    },
    ...{ json: values.json ?? false, once: values.once ?? false, yes: values.yes ?? false },
    ifVersion: values['if-version'] === undefined ? undefined : versionOf(values['if-version']),
  };
}

const isCommand = (name: string | undefined): name is Command =>
  name !== undefined && Object.hasOwn(COMMANDS, name);

/** Whether an option belongs to some of the commands alone. */
const isOwn = (name: string): boolean =>
  Object.values(COMMANDS).some(({ options }) => options.includes(name));

function amountOf(option: string, text: string): number {
  const number = /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  try {
    check.capacity(option, number);
  } catch {
    throw new UsageError(`${option} must be a number from 1e-9 to 1e9, got ${text}`);
  }
  return number;
}

function versionOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new UsageError(`--if-version must be a whole number ≥ 1, got ${text}`);
  return Number(text);
}

function withoutBraces(name: string, text: string): string {
  if (/[{}]/.test(text)) throw new UsageError(`${name} must be without braces, got ${text}`);
  return text;
}

function clientOf(name: string): ClientName {
  const client = CLIENTS.find((known) => known === name);
  if (client === undefined)
    throw new UsageError(`--client must be one of ${CLIENTS.join(', ')}, got ${name}`);
  return client;
}

/** A URL may have a password, so an error does not show it. */
function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(redis|valkey)s?:$/.test(url.protocol) || url.hostname === '')
    throw new UsageError('--url must be redis://HOST:PORT, or with TLS rediss://HOST:PORT');
  // Not all clients know the other name.
  return new URL(text.replace(/^valkey/i, 'redis'));
}
