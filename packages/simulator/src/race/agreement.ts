import type { ComparisonPoint } from './comparison.ts';
import type { Sample } from './optimistic-lock.ts';

/** A mean that the article's own program measured. */
export interface ReferenceMean {
  readonly clients: number;
  readonly rule: string;
  readonly measure: 'completionMs' | 'calls';
  readonly sample: Sample;
}

const RULE_OF: Readonly<Record<string, string>> = {
  None: 'None',
  Exponential: 'Exponential',
  EqualJitter: 'Equal jitter',
  FullJitter: 'Full jitter',
  Decorr: 'Decorrelated',
};

/** Reads `data/aws-backoff-reference.csv`, which has two means in each line. */
export function referenceMeans(csv: string): ReferenceMean[] {
  const [, ...lines] = csv.trim().split('\n');
  return lines.flatMap((line): ReferenceMean[] => {
    const [clients, algorithm = '', , completion, completionError, calls, callsError] = line.split(',');
    const point = { clients: Number(clients), rule: RULE_OF[algorithm] ?? algorithm };
    const sample = (mean?: string, error?: string): Sample => ({
      mean: Number(mean),
      standardError: Number(error),
    });
    return [
      { ...point, measure: 'completionMs', sample: sample(completion, completionError) },
      { ...point, measure: 'calls', sample: sample(calls, callsError) },
    ];
  });
}

/**
 * The distance of each mean from the reference, in standard errors of the difference.
 * @throws Error if there is no point for a mean of the reference
 */
export function distances(points: readonly ComparisonPoint[], reference: readonly ReferenceMean[]): number[] {
  return reference.map(({ clients, rule, measure, sample }) => {
    const point = points.find((other) => other.rule === rule && other.clients === clients);
    if (point === undefined) throw new Error(`no point for ${rule} with ${clients} clients`);
    const ours = point[measure];
    return (ours.mean - sample.mean) / Math.hypot(ours.standardError, sample.standardError);
  });
}
