// Production builds for browsers have this module in place of console.ts. Its functions are empty, because minifiers then drop
// their calls.

export function isSubscribed(_type: string): undefined {}

export function publish(_type: string, _event: unknown): void {}
