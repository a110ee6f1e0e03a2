/** A function that throws this. */
export function throwing(error: unknown = new Error('boom')): () => never {
  return () => {
    throw error;
  };
}
