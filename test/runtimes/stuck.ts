/** Far longer than any row takes. A row that is stuck fails alone, and the rows after it run. */
const STUCK_MS = 10_000;

export async function unlessStuck<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, STUCK_MS, new Error('stuck'));
  });
  try {
    return await Promise.race([promise, stuck]);
  } finally {
    clearTimeout(timer);
  }
}
