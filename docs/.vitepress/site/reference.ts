import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, Comment, CommentTag, Converter, type Reflection, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { root, stage } from './repository.ts';
import { frontmatter } from './stage.ts';
import { titleOf } from './summary.ts';

/** One entry of a package's `exports`. */
interface Door {
  /** The name that a user imports, such as `@ebb/core/adapter`. */
  readonly name: string;
  readonly entry: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly '@ebb/source': string }>>;
}

/** All entries that the packages publish and that export something. Others only add to global types. */
function doors(): Door[] {
  return globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
    const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([door, entry]): Door[] => {
      if (typeof entry === 'string') return [];
      const source = join(root, dirname(path), entry['@ebb/source']);
      if (!/^export /m.test(readFileSync(source, 'utf8'))) return [];
      return [{ name: name + door.slice(1), entry: source }];
    });
  });
}

/** The version from which on a name exists, unless its docstring has a `@since` of its own. */
const FIRST_VERSION = '0.1.0';

/** What a user may rely on, for each door. */
function stabilityOf(door: string): string {
  if (door.endsWith('/internal')) return 'none: for packages of ebb alone, and changed without notice';
  if (/^@ebb\/core\/(adapter|bucket|deduplicate)$/.test(door))
    return 'for authors of clients and limits: a minor version may change it, and the CHANGELOG says how';
  return 'stable: before 1.0.0 only a minor version may break it, and the CHANGELOG says how';
}

/** The heading above types that a signature names and that cannot be imported by name. */
const HIDDEN = 'Types without an export';

const options: TypeDocOptions & PluginOptions & { placeInternalsInOwningModule: boolean } = {
  name: 'API reference',
  tsconfig: fileURLToPath(new URL('../reference.tsconfig.json', import.meta.url)),
  // The second plugin adds types without an export, such as the options of a backoff rule.
  plugin: ['typedoc-plugin-markdown', 'typedoc-plugin-missing-exports'],
  placeInternalsInOwningModule: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  readme: 'none',
  groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', 'Namespaces', '*', HIDDEN],
  entryFileName: 'index',
  excludeScopesInPaths: true,
  outputFileStrategy: 'modules',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  // Explicit anchors: those of methods would else push that of a type with such a name to `-1` in links only.
  useCustomAnchors: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  logLevel: 'Warn',
};

/** The name that TypeDoc gives the module of an entry. */
function moduleOf(entry: string): string {
  return relative(join(root, 'packages'), entry).replace(/(\/index)?\.ts$/, '');
}

/** Puts what the plugin for missing exports adds under a heading of its own. */
function separateHidden({ converter }: Application): void {
  const exported = new Set<Reflection>();
  const beforePlugin = 2e9;
  const namesOf = (modules: Reflection): Reflection[] =>
    modules.isProject() ? (modules.children ?? []).flatMap(({ children }) => children ?? []) : [];
  converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      for (const name of namesOf(project)) exported.add(name);
    },
    beforePlugin,
  );
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const name of namesOf(project)) {
      if (exported.has(name)) continue;
      name.comment ??= new Comment();
      name.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: HIDDEN }]));
    }
  });
}

/** Writes a page for each door from its docstrings, and one that lists them. */
export async function writeReference(): Promise<void> {
  const folder = join(stage, 'reference');
  const all = doors();
  const app = await Application.bootstrapWithPlugins({
    ...options,
    entryPoints: all.map(({ entry }) => entry),
    outputs: [{ name: 'markdown', path: folder }],
  });
  separateHidden(app);
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the packages');
  for (const module of project.children ?? []) {
    const door = all.find(({ entry }) => moduleOf(entry) === module.name);
    if (door === undefined) throw new Error(`${module.name} is no door of a package`);
    module.name = door.name;
  }
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc reported problems');
  for (const name of globSync('**/*.md', { cwd: folder })) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const title = titleOf(text);
    const about = title.startsWith('@') ? `exported name of ${title}` : 'entry point of the packages';
    const description = `Every ${about}, from the docstrings: types, defaults, errors.`;
    const stability = `**Since** ${FIRST_VERSION}. **Stability**: ${stabilityOf(title)}.`;
    // An anchor that no name has: the title of a namespace is also that of its function.
    const head = title.startsWith('@') ? `$& {#top}\n\n${stability}` : '$& {#top}';
    writeFileSync(path, frontmatter({ description, editLink: false }) + text.replace(/^# .+$/m, head));
  }
}
