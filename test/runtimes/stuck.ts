/** Long enough for anything that is not stuck. What is stuck fails its own row, and not the rows after it. */
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
