import { type Classify } from '../http/classify.ts';
/** As `classifyHttp`, which retries 429 and failures, but with other statuses that are transient. */
export declare function classifyBy(isTransient: (status: number) => boolean): Classify;
/**
 * As another rule, but a 503 that asks for a wait is a refusal. Only for a provider that says so of its own servers: a proxy
 * adds the field to a 503 after work was done as well.
 */
export declare function refusingBusy(classify: Classify): Classify;
//# sourceMappingURL=statuses.d.ts.map