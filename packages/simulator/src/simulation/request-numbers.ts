import { copyInto } from '../engine/typed-array.ts';

/** Further numbers of each open request, for what most simulations do without. */
export class RequestNumbers {
  readonly #width: number;
  #numbers: Float64Array;

  constructor(width: number) {
    this.#width = width;
    this.#numbers = new Float64Array(width * 1_024);
  }

  /** A request begins: all its numbers are 0. */
  begin(request: number): void {
    const from = request * this.#width;
    while (from >= this.#numbers.length) {
      this.#numbers = copyInto(new Float64Array(2 * this.#numbers.length), this.#numbers);
    }
    this.#numbers.fill(0, from, from + this.#width);
  }

  get(request: number, field: number): number {
    return this.#numbers[request * this.#width + field] as number;
  }

  set(request: number, field: number, value: number): void {
    this.#numbers[request * this.#width + field] = value;
  }
}
