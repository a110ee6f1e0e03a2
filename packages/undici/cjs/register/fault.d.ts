/** An error that ends the process at its start, and so names the module that threw it. */
export declare function fault(message: string, cause?: unknown): Error;
//# sourceMappingURL=fault.d.ts.map