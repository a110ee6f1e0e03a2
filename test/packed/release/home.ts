/** `OWNER/NAME` of the address in the root package.json. */
export function homeOf(url: string): string {
  const home = /github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1];
  if (home === undefined) throw new TypeError(`the repository's address is not one of GitHub: ${url}`);
  return home;
}

/** The work that a person has to do before the first release. */
export function leftBefore(url: string): string[] {
  if (!homeOf(url).startsWith('ebb-placeholder/')) return [];
  return [
    'The repository has no address yet: `npx -y pnpm@12 -C test/packed run home OWNER/NAME` writes it into every file.',
  ];
}

/** A text with the address of another repository. The site of a project stands at OWNER.github.io/NAME. */
export function moveAddress(text: string, from: string, to: string): string {
  const [[owner = '', name = ''], [nextOwner = '', nextName = '']] = [from.split('/'), to.split('/')];
  return text
    .replaceAll(`github.com/${from}`, `github.com/${to}`)
    .replaceAll(`${owner}.github.io/${name}`, `${nextOwner}.github.io/${nextName}`)
    .replaceAll(owner, nextOwner);
}
