import type { ServerEvent } from './inspect.ts';
/** Finds the first event of a stream that is not a `ping`, which only keeps the connection open. */
export declare class FirstEvent {
    #private;
    /** Takes the next part of the stream, and returns the event once it has ended. No character is looked at twice. */
    take(part: string): ServerEvent | undefined;
}
//# sourceMappingURL=first-event.d.ts.map