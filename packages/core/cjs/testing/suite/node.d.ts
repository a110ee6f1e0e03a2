/** Emits events. */
interface Emitter {
    on(event: string, listener: (value: never) => void): unknown;
    once(event: string, listener: (value: never) => void): unknown;
}
export interface Socket extends Emitter {
    readonly localPort: number;
    destroy(): void;
    unref(): void;
}
export interface Incoming extends AsyncIterable<Uint8Array> {
    readonly method?: string;
    readonly url?: string;
    readonly headers: Readonly<Record<string, string | undefined>>;
}
export interface Outgoing extends Emitter {
    setHeader(name: string, value: string): void;
    writeHead(status: number, headers?: Readonly<Record<string, string | number | readonly string[]>>): Outgoing;
    write(part: string, written?: () => void): void;
    end(body?: string | Uint8Array): void;
    destroy(): void;
}
export interface Server extends Emitter {
    listening: boolean;
    keepAliveTimeout: number;
    listen(port: number, host: string): Server;
    address(): {
        readonly port: number;
    };
    close(): void;
    unref(): void;
}
interface Modules {
    readonly 'node:http': {
        createServer(onRequest: (request: Incoming, response: Outgoing) => void): Server;
    };
    readonly 'node:net': {
        createServer(onSocket: (socket: Socket) => void): Server;
        connect(port: number, host: string): Socket;
    };
}
/**
 * A module of Node.
 *
 * @throws Error in a runtime that has none
 */
export declare function nodeModule<Name extends keyof Modules>(name: Name): Modules[Name];
/** Listens on a free port of loopback, and returns the port. */
export declare function listening(server: Server): Promise<number>;
export {};
//# sourceMappingURL=node.d.ts.map