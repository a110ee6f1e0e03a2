import { HOME, TYPES } from '../emitted/names.ts';
import { RULES } from '../rules/rules.ts';

/** A program before and after a run. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

/** True for a text that loads a package, or a file of it. */
function loads(text: string, name: string): boolean {
  return new RegExp(`\\b(from|import|require)\\b[\\s(]*(['"\`])${name}(/[\\w./]+)?\\2`).test(text);
}

/** The commands of npm that follow a run: they install what the programs load now, and remove what none of them loads. */
export function commandsFor(programs: readonly Change[]): string[] {
  const changed = programs.filter(({ before, after }) => before !== after);
  const added = [...new Set([...Object.values(HOME), ...Object.values(TYPES)])].filter(
    (home) => home.startsWith('@') && changed.some(({ after }) => loads(after, home)),
  );
  const packages = [...new Set(Object.keys(RULES).map((path) => path.replace(/\/.*/, '')))];
  const gone = packages.filter(
    (library) =>
      changed.some(({ before }) => loads(before, library)) &&
      !programs.some(({ after }) => loads(after, library)),
  );
  return [
    ...(added.length > 0 ? [`npm install ${added.sort().join(' ')}`] : []),
    ...(gone.length > 0 ? [`npm uninstall ${gone.sort().join(' ')}`] : []),
  ];
}
