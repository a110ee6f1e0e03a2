import { HOME, TYPES } from '../emitted/names.ts';
import { RULES } from '../rules/rules.ts';
import { names } from '../rules/together.ts';

/** A program before and after a run. */
export interface Change {
  readonly before: string;
  readonly after: string;
}

/** The commands for the packages that the files load now, and for those of the old libraries that none of the files loads. */
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
