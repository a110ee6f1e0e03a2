/**
 * Calls an observer. An error that it throws, or rejects with, is reported once and changes nothing.
 *
 * @param name the option that the observer was given as
 */
export declare function callObserver<E>(name: string, observer: (event: E) => unknown, event: E): void;
//# sourceMappingURL=call-observer.d.ts.map