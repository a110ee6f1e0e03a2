import type { BodyUse } from './body-use.ts';
/** Ends the use of a body that is not read, when it has arrived or was garbage-collected. */
export declare function watchUnread(use: BodyUse): void;
//# sourceMappingURL=unread.d.ts.map