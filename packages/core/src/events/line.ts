import { oneLine } from '#platform';
import type { EbbEvent } from './events.ts';

// An event as one line, for NODE_DEBUG and for consoles. Every program for Node has this, so it knows no type of event.

/** True if a list of names, as in `NODE_DEBUG=http,ebb`, has that of ebb. */
export function isNamed(list: unknown): boolean {
  return /(^|[\s,])(ebb|\*)([\s,]|$)/i.test(`${list}`);
}

/** Its time of day (UTC), request, attempt and type, and its fields by their names. It has no secrets, as an event has none. */
export function lineOf({ type, request, attempt, atMs, ...fields }: EbbEvent): string {
  // A clock of the user may have a time that is no date.
  const time = new Date(atMs).toJSON()?.slice(11, 23);
  const what = `${request.method} ${request.url}`.padEnd(40);
  const line = `${time}  ${what} ${attempt}  ${type.padEnd(15)}  ${fieldsIn(fields).join(' ')}`;
  // A relative URL and a code may have any character.
  return oneLine(line.trimEnd());
}

/** Those of an outcome and an error as well. */
function fieldsIn(of: object): string[] {
  return Object.entries(of).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isPart = typeof value === 'object' && !Array.isArray(value);
    return isPart ? fieldsIn(value) : [`${name}=${value}`];
  });
}
