/** Copies a smaller array to the front of a larger one, and returns the larger one. */
export function copyInto<A extends Float64Array | Int32Array>(larger: A, smaller: A): A {
  larger.set(smaller as never);
  return larger;
}
