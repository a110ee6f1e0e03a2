/** Fills the front of a larger array with what a smaller one holds, and answers the larger one. */
export function copyInto<A extends Float64Array | Int32Array>(larger: A, smaller: A): A {
  larger.set(smaller as never);
  return larger;
}
