import { type Classify, classifyHttp } from '../http/classify.ts';

/** As `classifyHttp`, which retries 429 and failures, but with other statuses that are transient. */
export function classifyBy(isTransient: (status: number) => boolean): Classify {
  return (outcome) => {
    if (outcome.type === 'failure' || outcome.status < 400 || outcome.status === 429) {
      return classifyHttp(outcome);
    }
    return isTransient(outcome.status) ? 'transient' : 'final';
  };
}
