/** A scenario that cannot be run. The message begins with the path of the wrong field. */
export declare class ScenarioError extends Error {
    readonly name = "ScenarioError";
}
/** Throws a {@link ScenarioError} if the value of a field is wrong. */
export type Check = (path: string, value: unknown) => void;
/** The error for a wrong value. `takes` follows "must be". */
export declare function wrong(path: string, takes: string, value: unknown): ScenarioError;
/** Calls a function of core that takes the value of a field. Its option errors become errors of that field. */
export declare function checkAt(path: string, call: () => unknown): void;
/** Calls a function of core whose options are the fields of an object. Its option errors become errors of those fields. */
export declare function checkOptionsAt(path: string, call: () => unknown): void;
export declare const counting: Check;
export declare const whole: Check;
export declare const positive: Check;
export declare const notNegative: Check;
export declare const refillRate: Check;
export declare const capacity: Check;
export declare const flag: Check;
export declare const share: Check;
export declare const oneOf: (...words: readonly string[]) => Check;
/** An object with these fields. Those whose name begins with `?` are optional. */
export declare function fields(checks: Readonly<Record<string, Check>>): Check;
/** An object that is no list. */
export declare function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
/** A list whose elements pass a check. */
export declare function listOf(check: Check): Check;
/** The path of a field: `policy.maxRetries`, or `policies["full jitter"]` for a name that is no identifier. */
export declare function joined(path: string, name: string): string;
//# sourceMappingURL=check.d.ts.map