import type { Port } from './port.ts';
import { SCRIPTS } from './scripts.ts';
import { PORTS } from './table.ts';

const scripts = Object.keys(SCRIPTS).length;
const ports = Object.values(PORTS).flat();
const alike = ports.filter(({ differs }) => differs === undefined).length;

/** How many ports there are, and how many do the same in all scripts. */
export const COUNTS: { readonly ports: number; readonly alike: number; readonly scripts: number } = {
  ports: ports.length,
  alike,
  scripts,
};

function rowOf(library: string, { shape, differs }: Port): string {
  const same = scripts - (differs?.in.length ?? 0);
  return `| ${library} | ${shape} | ${same} of ${scripts} | ${differs?.because ?? ''} |`;
}

const INTRO = `# Programs and their ports

${ports.length} programs in the shapes of public code, each beside the same program with ebb. Both get the same ${scripts} scripts: refusals, \`Retry-After\`,
lost connections, timeouts, aborts. In virtual time, they must send as many requests after the same waits, end with the same status or error, and
log the same. ${alike} do so in all scripts; for the others the last column says why not. Waits that a server asks for may be a fifth longer, and
at most a second.

The code of each row is in \`test/ports/rows\`. \`npx -y pnpm@12 check ports\` plays them all, and with \`-u\` writes this page.`;

/** docs/ports.md */
export function page(): string {
  const rows = Object.entries(PORTS).flatMap(([library, of]) => of.map((port) => rowOf(library, port)));
  const head = ['| library | program | scripts alike | difference |', '|---|---|---|---|'];
  return `${INTRO}\n\n${[...head, ...rows].join('\n')}\n`;
}
