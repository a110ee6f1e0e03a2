import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
type Raw = readonly (Buffer | readonly Buffer[])[];
/** A handler in the style before undici 7, which the `fetch` of Node 24 still has. */
export interface LegacyHandler {
    onConnect?(abort: (reason?: Error) => void, context: unknown): void;
    onUpgrade?(status: number, headers: Raw, socket: Duplex): void;
    onResponseStarted?(): void;
    onHeaders?(status: number, headers: Raw, resume: () => void, message?: string): boolean | undefined;
    onData?(chunk: Buffer): boolean | undefined;
    onComplete?(trailers: Raw): void;
    onError?(error: Error): void;
    onBodySent?(chunk: Buffer): void;
    onRequestSent?(): void;
}
/** True for a complete legacy handler, false for a handler that has both styles. */
export declare function isLegacy(handler: LegacyHandler): boolean;
/** Adapts a legacy handler to the current interface. */
export declare function modernHandler(handler: LegacyHandler): Dispatcher.DispatchHandler;
export {};
//# sourceMappingURL=legacy.d.ts.map