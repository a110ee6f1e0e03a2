import type { Attempt } from './attempt.ts';
import type { ResponseHead } from './headers.ts';
import { type Download } from './resume.ts';
import type { Steps } from './steps.ts';
/** An attempt has failed in a body that the handler is receiving. */
export declare function broke(steps: Steps, attempt: Attempt, error: Error): void;
/** The response to a request for the rest of a broken download. */
export declare function respondedRest(steps: Steps, attempt: Attempt, head: ResponseHead, download: Download, brokenBy: Error): void;
/** A chunk of a response that can be resumed. */
export declare function received(steps: Steps, attempt: Attempt, chunk: Buffer, download: Download): void;
//# sourceMappingURL=resuming.d.ts.map