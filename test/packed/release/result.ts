/** What one check found about one subject: a line of the report. */
export interface Result {
  readonly check: string;
  readonly subject: string;
  /** What was counted or measured. */
  readonly figure: string;
  /** The reasons not to publish. */
  readonly problems: readonly string[];
}

/** A result as a line, with its problems below. */
export function linesOf({ check, subject, figure, problems }: Result): string {
  const verdict = problems.length === 0 ? 'ok' : 'FAILED';
  const line = `${check.padEnd(10)}  ${subject.padEnd(32)}  ${figure.padEnd(38)}  ${verdict}`;
  return [line, ...problems.map((problem) => `    ${problem}`)].join('\n');
}
