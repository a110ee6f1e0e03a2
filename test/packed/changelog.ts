/** The used part of the output of `changeset status`. */
export interface ReleasePlan {
  readonly changesets: readonly {
    readonly summary: string;
    readonly releases: readonly { readonly name: string }[];
  }[];
  readonly releases: readonly { readonly newVersion: string }[];
}

/** Moves the unreleased entries of a changelog and the summaries of the changesets into a section of the new version. */
export function withRelease(changelog: string, plan: ReleasePlan, date: string): string {
  const [head = '', unreleased = '', ...older] = changelog.split(/^(?=## )/m);
  const [, ...groups] = unreleased.trim().split(/\n+### /);
  const entries = new Map(
    groups.map((group) => {
      const [heading = '', ...lines] = group.split('\n');
      return [heading, lines.join('\n').trim()] as const;
    }),
  );
  for (const { summary, releases } of plan.changesets) {
    if (summary === '') continue;
    const heading = releases
      .map(({ name }) => name)
      .sort()
      .join(', ')
      .replace(/, (?=[^,]+$)/, ' and ');
    const entry = `- ${summary.replaceAll('\n', '\n  ')}`;
    entries.set(heading, [entries.get(heading) ?? '', entry].join('\n').trim());
  }
  const sections = [...entries].map(([heading, lines]) => `### ${heading}\n\n${lines}\n\n`).join('');
  const version = plan.releases[0]?.newVersion;
  return `${head}## Unreleased\n\n## ${version} (${date})\n\n${sections}${older.join('')}`;
}
