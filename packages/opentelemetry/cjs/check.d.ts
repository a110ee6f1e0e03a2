/** @throws TypeError unless the value is an object */
export declare function checkObject(caller: string, name: string, value: unknown): void;
/** @throws TypeError if there is an option that is not known, such as a misspelt one */
export declare function checkNames(caller: string, options: object, known: readonly string[]): void;
/** @throws TypeError unless the value is a boolean */
export declare function checkBoolean(caller: string, name: string, value: unknown): void;
/** @throws TypeError unless the value has the method */
export declare function checkApi(caller: string, name: string, value: unknown, method: string, expected: string): void;
//# sourceMappingURL=check.d.ts.map