/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
    readonly hasSubscribers: boolean;
    publish(message: unknown): void;
}
/** Channels by their names, which all copies of this package in a program share. */
export declare function channelsOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, Channel>> | undefined;
export {};
//# sourceMappingURL=channels.d.ts.map