import { NOISE } from '../measure/part.ts';
import { rival, rivalsIn } from '../rivals/folder.ts';
import type { Kind, Rival } from '../rivals/rival.ts';

const bare: Rival<Kind> = { wrap: (client) => client };

async function ours<K extends Kind>(kind: K): Promise<Readonly<Record<string, Rival<K>>>> {
  const module = (await import(`./${kind}.ts`)) as { default: Readonly<Record<string, Rival<K>>> };
  return module.default;
}

/** All that can stand around a client, by name: nothing, ebb with and without limits, its rivals. */
export async function subjectsOf<K extends Kind>(kind: K): Promise<Map<string, Rival<K>>> {
  const rivals = rivalsIn(kind).map(async (name) => [name, await rival<Rival<K>>(kind, name)] as const);
  return new Map([
    [NOISE, bare as Rival<K>],
    ...Object.entries(await ours(kind)),
    ...(await Promise.all(rivals)),
  ]);
}

/** One of them, and loads no other. */
export async function subjectOf<K extends Kind>(kind: K, name: string): Promise<Rival<K>> {
  if (name === NOISE) return bare as Rival<K>;
  if (rivalsIn(kind).includes(name)) return rival<Rival<K>>(kind, name);
  const found = (await ours(kind))[name];
  if (found === undefined) throw new Error(`There is no ${name} for ${kind}`);
  return found;
}
