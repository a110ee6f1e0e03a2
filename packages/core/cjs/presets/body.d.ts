import type { InspectedResponse } from '../http/inspect.ts';
/** A value in parsed JSON, by the names on the way to it; `undefined` if there is none. */
export declare function at(json: unknown, ...names: readonly PropertyKey[]): unknown;
/** As {@link at}, for a text. */
export declare function textAt(json: unknown, ...names: readonly PropertyKey[]): string | undefined;
/** As {@link at}, for a list; empty if there is none. */
export declare function listAt(json: unknown, ...names: readonly PropertyKey[]): readonly unknown[];
/** The value of a JSON text; `undefined` if it is none. */
export declare function parsed(text: string): unknown;
/** True for a response that is streamed as events. */
export declare function isEventStream(response: InspectedResponse): boolean;
/** True if the content type of a response contains a word, such as `json`. */
export declare function hasType(response: InspectedResponse, word: string): boolean;
//# sourceMappingURL=body.d.ts.map