import { readFileSync } from 'node:fs';

const FIELD = /(?:\/\*\*(?<comment>(?:(?!\*\/).)*)\*\/\s*)?readonly (?<name>\w+)(?<optional>\??):/gs;

/** The options that an interface declares, with what their docstrings say after `@default`, or `required`. */
export function declared(file: string, name: string): Map<string, string> {
  const source = readFileSync(file, 'utf8');
  const [, body] = new RegExp(`interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(source) ?? [];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  return new Map(
    [...body.matchAll(FIELD)].map(({ groups }) => {
      const { comment = '', name: field = '', optional } = groups ?? {};
      const [, said = ''] = /@default (.*)$/s.exec(comment.replace(/\s*\n\s*\*? ?/g, ' ')) ?? [];
      return [field, optional === '' ? 'required' : said.trim()];
    }),
  );
}
