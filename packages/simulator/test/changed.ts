/** A copy of a value in which one field is changed: `changed(valid, 'server.workers', 0)`. */
export function changed(valid: object, path: string, value: unknown): unknown {
  const copy = structuredClone(valid) as Record<string, unknown>;
  const names = path.split('.');
  const inner = names.slice(0, -1).reduce((held, name) => held[name] as Record<string, unknown>, copy);
  inner[names.at(-1) ?? ''] = value;
  return copy;
}
