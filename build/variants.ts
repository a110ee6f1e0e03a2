/** One build of a package's ES modules. */
export interface Variant {
  /** The folder in `dist`. */
  readonly name: string;
  /** The conditions that are true in it, for the package's `imports`. */
  readonly conditions: readonly string[];
  /** The conditions of `exports` that lead to it. */
  readonly when: readonly string[];
}

/** `imports` of a package.json: the target of each name, by condition. */
export type Imports = Readonly<Record<string, Readonly<Record<string, string>>>>;

const NODE: Variant = { name: 'node', conditions: ['node'], when: ['workerd', 'node', 'bun', 'deno'] };
const PRODUCTION: Variant = { name: 'production', conditions: ['production'], when: ['production'] };
const WEB: Variant = { name: 'web', conditions: [], when: ['default'] };
const ONLY: Variant = { name: 'esm', conditions: [], when: ['default'] };

/** The variants of a package whose `imports` tell these conditions apart, in the order of `exports`. */
export function variantsOf(imports: Imports): readonly Variant[] {
  const told = new Set(Object.values(imports).flatMap((targets) => Object.keys(targets)));
  if (!told.has('node') && !told.has('production')) return [ONLY];
  return [...(told.has('node') ? [NODE] : []), ...(told.has('production') ? [PRODUCTION] : []), WEB];
}

/** The target of a `#name` in a variant. */
export function targetOf(name: string, imports: Imports, { conditions }: Variant): string {
  const targets = Object.entries(imports[name] ?? {});
  const [, target] =
    targets.find(([condition]) => condition === 'default' || conditions.includes(condition)) ?? [];
  if (typeof target !== 'string') throw new Error(`\`imports\` has no plain target for ${name}`);
  return target;
}
