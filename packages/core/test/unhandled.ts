/** The rejections that no handler has caught meanwhile: each would end a program. */
export async function unhandledIn(story: () => unknown): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  await story();
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  return unhandled;
}
