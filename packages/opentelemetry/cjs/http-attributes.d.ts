import type { EbbEvent } from '@ebb/core';
import type { Attributes } from '@opentelemetry/api';
type Request = EbbEvent['request'];
export type Outcome = Extract<EbbEvent, {
    type: 'retry';
}>['outcome'];
/** False for a call of core's `retry`, whose request has no URL. */
export declare function isHttp({ url }: Request): boolean;
/** The name of an attempt's span. */
export declare function spanNameOf(request: Request): string;
/**
 * The method and the server of a request. Nothing else of a URL is reported: its credentials, its query and often its path
 * may be secrets, and a path has too many values for a metric.
 */
export declare function requestAttributes(request: Request): Attributes;
/** The status and the error of an outcome. What a function returned counts as a response of status 0, which is none. */
export declare function outcomeAttributes(outcome: Outcome): Attributes;
/** The status of a response from 400, the code or the kind of a failure; `undefined` for a good response. */
export declare function errorTypeOf(outcome: Outcome): string | undefined;
export {};
//# sourceMappingURL=http-attributes.d.ts.map