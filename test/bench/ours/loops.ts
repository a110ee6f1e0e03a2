const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a library is measured against when requests fail: the shortest loop that retries, as one would write it by hand. */
export function looping<T extends { readonly status: number }>(
  send: (id: number) => Promise<T>,
  delayMs: number,
): (id: number) => Promise<T> {
  return async (id) => {
    for (let retry = 1; ; retry += 1) {
      const response = await send(id);
      if (response.status !== 503 || retry > 5) return response;
      await pause(delayMs);
    }
  };
}
