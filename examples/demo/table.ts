import type { Played, Sent } from './acts.ts';
import { seconds } from './log.ts';

function answered(sent: readonly Sent[]): string {
  return `${sent.filter(({ result }) => result === 200).length} of ${sent.length}`;
}

function row(columns: readonly string[]): string {
  const [name = '', ...figures] = columns;
  return `  ${name.padEnd(11)}${figures.map((figure) => figure.padStart(11)).join('')}`;
}

/** The results of each client over all acts, with and without the policy. At most 80 columns wide. */
export function table(played: readonly Played[]): string[] {
  const lanes = played.flatMap((act) => act.lanes);
  const ebb = played.flatMap((act) => act.ebb);
  const bare = played.flatMap((act) => act.bare);
  const rowOf = (name: string, isOne: (one: { client: string }) => boolean): string => {
    const own = lanes.filter(isOne);
    const attempts = own.reduce((sum, lane) => sum + lane.attempts, 0);
    const waitedMs = own.reduce((sum, lane) => sum + lane.waitedMs, 0);
    const figures = [own.length, attempts, attempts - own.length].map(String);
    return row([
      name,
      ...figures,
      seconds(waitedMs),
      answered(ebb.filter(isOne)),
      answered(bare.filter(isOne)),
    ]);
  };
  const names = [...new Set(lanes.map(({ client }) => client))];
  return [
    row(['client', 'requests', 'attempts', 'retries', 'waited', 'answered', 'bare']),
    ...names.map((name) => rowOf(name, ({ client }) => client === name)),
    rowOf('together', () => true),
  ];
}
