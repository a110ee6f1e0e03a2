/** What a client reports about its connection, besides its replies. */
export interface Connection {
    /** The last error since the connection was ready, or an error if there is no connection; else `undefined`. */
    error(): unknown;
    /** Called for every reply: the connection works. */
    clearError(): void;
    /** Removes the listeners once every user of the client has called it. */
    release(): void;
}
/** Watches the connection of a client, if it emits events. */
export declare function watchConnection(client: object): Connection;
//# sourceMappingURL=connection.d.ts.map