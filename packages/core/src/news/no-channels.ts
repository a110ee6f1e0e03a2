// What production builds for browsers have in place of console.ts. Empty functions, because minifiers drop their calls.

export function isSubscribed(_type: string): undefined {}

export function publish(_type: string, _event: unknown): void {}
