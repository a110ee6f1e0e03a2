import type { InspectedResponse } from '../http/inspect.ts';
/** True if the headers ask for a wait, as seconds, a date or milliseconds. */
export declare function tellsWait(response: InspectedResponse): boolean;
/** The wait in a message such as "Please try again in 6m0s.", in milliseconds; `undefined` if there is none. */
export declare function waitInWords(message: string | undefined): number | undefined;
//# sourceMappingURL=told-wait.d.ts.map