const START = '<!-- figures -->';
const END = '<!-- /figures -->';

/** A command in a block of its own, and the output of its last run. */
const PLACE = /^```sh\nnpx -y pnpm@12 bench ([^\n]+)\n```\n\n<!-- figures -->\n(.*?)<!-- \/figures -->$/gms;

/** The commands of a page that have a table, without `pnpm bench`. */
export function commandsOf(page: string): string[] {
  return [...page.matchAll(PLACE)].map(([, command = '']) => command);
}

/** The page with what a command printed in the place of the table below it. */
export function withTable(page: string, command: string, printed: string): string {
  return page.replace(PLACE, (place, own: string) => {
    if (own !== command) return place;
    return `\`\`\`sh\nnpx -y pnpm@12 bench ${command}\n\`\`\`\n\n${START}\n${printed.trim()}\n${END}`;
  });
}
