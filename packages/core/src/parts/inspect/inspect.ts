import type { InspectedResponse } from '../../http/inspected.ts';
import type { Judgement } from '../../http/outcome.ts';

/**
 * Judges a response by its body. Called for every response that is not left to another layer, a success too, so look at
 * `status` and headers first: a body that is not asked for is not read. Return nothing to leave the verdict to `classify`.
 */
export type Inspect = (response: InspectedResponse) => Judgement | undefined | Promise<Judgement | undefined>;
