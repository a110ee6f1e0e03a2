import { HOME, TYPES } from '../emitted/names.ts';
import { RULES } from '../rules/rules.ts';
import { names } from '../rules/together.ts';

/** A program before and after a run. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

/** The commands of npm that follow a run: they install what the programs load now, and remove what none of them loads. */
export function commandsFor(programs: readonly Change[]): string[] {
  const changed = programs.filter(({ before, after }) => before !== after);
  const added = [...new Set([...Object.values(HOME), ...Object.values(TYPES)])].filter(
    (home) => home.startsWith('@') && changed.some(({ after }) => names(after, home)),
  );
  const gone = Object.keys(RULES).filter(
    (library) =>
      changed.some(({ before }) => names(before, library)) &&
      !programs.some(({ after }) => names(after, library)),
  );
  return [
    ...(added.length > 0 ? [`npm install ${added.sort().join(' ')}`] : []),
    ...(gone.length > 0 ? [`npm uninstall ${gone.sort().join(' ')}`] : []),
  ];
}
