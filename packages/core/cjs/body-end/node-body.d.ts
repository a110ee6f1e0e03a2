import type { NodeReadable } from '../http/body.ts';
import type { BodyUse } from './body-use.ts';
/** Ends the use of a Node stream, the body type of node-fetch, when it has arrived, was closed or was garbage-collected. */
export declare function whenNodeBodyEnds(body: NodeReadable, use: BodyUse): void;
//# sourceMappingURL=node-body.d.ts.map