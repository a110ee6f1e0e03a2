// All test files of a run share a process, and Stryker counts on one for each: what it has left of the file before goes.
interface Stryker {
  activeMutant?: string | undefined;
  mutantCoverage?: { static: object; perTest: object };
}

const { __stryker__: stryker } = globalThis as { __stryker__?: Stryker };
if (stryker !== undefined) {
  stryker.activeMutant = undefined;
  // In place: each module has a reference to it.
  if (stryker.mutantCoverage !== undefined)
    Object.assign(stryker.mutantCoverage, { static: {}, perTest: {} });
}
