import { EventHeap } from './event-heap.ts';
import { copyInto } from './typed-array.ts';

/** The calendar shows this many days one by one, the month, and after it this many months. */
const DAYS = 16_384;
const MONTHS = 64;
/** The pages of the months come after those of the days; the last page holds what is later still. */
const LATER = DAYS + MONTHS;
/** Events in a chunk, which is the piece in which a day takes memory. */
const CHUNK = 32;
const NONE = -1;

/**
 * Is shown the events of a day before they happen, from one place of an array to another, and may look at what
 * they are about. That fetches it from memory: all at once, which takes little longer than one after the other
 * would take for each.
 */
export type Touch = (events: Int32Array, from: number, to: number) => void;

/**
 * Events in the order in which they happen: by time and, at one time, as they were put in. An event is two
 * whole numbers whose meaning is the caller's.
 *
 * Only the events of the present day, a short stretch of time, stand in a heap; those of later days lie unsorted
 * on the pages of a calendar, and move on when their month comes, and into the heap when their day does. So an
 * event costs the same whether a thousand wait or a million, where one large heap would cost three times as
 * much, most of it waiting for memory.
 *
 * Source: Brown, "Calendar Queues", 1988.
 */
export class EventQueue {
  size = 0;
  /** The two numbers of the event that {@link pop} took out. */
  event = 0;
  stamp = 0;
  readonly #today = new EventHeap();
  readonly #dayMs: number;
  /** The number of the present day, and of the present month. */
  #day = -1;
  #month = 0;
  /** The first month beyond the calendar's end in which something happens. */
  #firstLater = Number.POSITIVE_INFINITY;
  #nextOrder = 0;

  /** For each page its last chunk, from which a chain leads to the first, and how much of the last is filled. */
  readonly #lastChunk = new Int32Array(LATER + 1).fill(NONE);
  readonly #filled = new Int32Array(LATER + 1);
  #chain: Int32Array = new Int32Array(64);
  #freeChunk = NONE;
  #chunks = 0;
  #times: Float64Array = new Float64Array(64 * CHUNK);
  #orders: Float64Array = new Float64Array(64 * CHUNK);
  #events: Int32Array = new Int32Array(64 * CHUNK);
  #stamps: Int32Array = new Int32Array(64 * CHUNK);

  readonly #touch: Touch | undefined;

  /** `dayMs` should hold some dozens of events: with many more the heap grows, with many fewer days are empty. */
  constructor(dayMs = 1, touch?: Touch) {
    this.#dayMs = dayMs;
    this.#touch = touch;
  }

  /** When the next event is; `Infinity` when there is none. */
  get nextAtMs(): number {
    if (this.#today.size === 0) this.#findDay();
    return this.#today.nextAtMs;
  }

  /** `atMs` is 0 or later. */
  push(atMs: number, event: number, stamp = 0): void {
    const order = this.#nextOrder;
    this.#nextOrder += 1;
    this.size += 1;
    const day = Math.floor(atMs / this.#dayMs);
    if (day <= this.#day) this.#today.push(atMs, order, event, stamp);
    else this.#putOff(day, atMs, order, event, stamp);
  }

  /** Takes the next event out: its numbers are then in {@link event} and {@link stamp}. */
  pop(): void {
    const today = this.#today;
    if (today.size === 0) this.#findDay();
    today.pop();
    this.size -= 1;
    this.event = today.event;
    this.stamp = today.stamp;
  }

  #putOff(day: number, atMs: number, order: number, event: number, stamp: number): void {
    const page = this.#pageOf(day);
    let chunk = this.#lastChunk[page] as number;
    let filled = this.#filled[page] as number;
    if (chunk === NONE || filled === CHUNK) {
      const fresh = this.#takeChunk();
      this.#chain[fresh] = chunk;
      this.#lastChunk[page] = fresh;
      chunk = fresh;
      filled = 0;
    }
    this.#filled[page] = filled + 1;
    const at = chunk * CHUNK + filled;
    this.#times[at] = atMs;
    this.#orders[at] = order;
    this.#events[at] = event;
    this.#stamps[at] = stamp;
  }

  #pageOf(day: number): number {
    const ahead = day - this.#month * DAYS;
    if (ahead < DAYS) return ahead;
    const month = Math.floor(day / DAYS);
    if (month < this.#month + MONTHS) return DAYS + (month % MONTHS);
    this.#firstLater = Math.min(this.#firstLater, month);
    return LATER;
  }

  /** Moves on to the next day on which something happens. */
  #findDay(): void {
    if (this.size === 0) return;
    for (;;) {
      const firstDay = this.#month * DAYS;
      for (let page = this.#day + 1 - firstDay; page < DAYS; page += 1) {
        if (this.#lastChunk[page] === NONE) continue;
        this.#day = firstDay + page;
        this.#empty(page);
        return;
      }
      this.#turnToNextMonth();
    }
  }

  #turnToNextMonth(): void {
    const last = this.#month;
    let month = last + 1;
    while (month < last + MONTHS && this.#lastChunk[DAYS + (month % MONTHS)] === NONE) month += 1;
    // In what is later there may be some of the months that now come onto the calendar.
    if (month === last + MONTHS) month = this.#firstLater;
    this.#month = month;
    this.#day = month * DAYS - 1;
    this.#empty(DAYS + (month % MONTHS));
    if (this.#firstLater >= month + MONTHS) return;
    this.#firstLater = Number.POSITIVE_INFINITY;
    this.#empty(LATER);
  }

  /** Takes everything off a page of the calendar, and puts it in where it belongs now. */
  #empty(page: number): void {
    let chunk = this.#lastChunk[page] as number;
    let filled = this.#filled[page] as number;
    this.#lastChunk[page] = NONE;
    while (chunk !== NONE) {
      const from = chunk * CHUNK;
      if (page < DAYS) this.#touch?.(this.#events, from, from + filled);
      for (let at = from; at < from + filled; at += 1) {
        const atMs = this.#times[at] as number;
        const order = this.#orders[at] as number;
        const event = this.#events[at] as number;
        const stamp = this.#stamps[at] as number;
        const day = page < DAYS ? this.#day : Math.floor(atMs / this.#dayMs);
        if (day > this.#day) this.#putOff(day, atMs, order, event, stamp);
        else this.#today.push(atMs, order, event, stamp);
      }
      const next = this.#chain[chunk] as number;
      this.#chain[chunk] = this.#freeChunk;
      this.#freeChunk = chunk;
      chunk = next;
      filled = CHUNK;
    }
  }

  #takeChunk(): number {
    const free = this.#freeChunk;
    if (free !== NONE) {
      this.#freeChunk = this.#chain[free] as number;
      return free;
    }
    if (this.#chunks === this.#chain.length) this.#grow();
    this.#chunks += 1;
    return this.#chunks - 1;
  }

  #grow(): void {
    const chunks = 2 * this.#chain.length;
    this.#chain = copyInto(new Int32Array(chunks), this.#chain);
    this.#times = copyInto(new Float64Array(chunks * CHUNK), this.#times);
    this.#orders = copyInto(new Float64Array(chunks * CHUNK), this.#orders);
    this.#events = copyInto(new Int32Array(chunks * CHUNK), this.#events);
    this.#stamps = copyInto(new Int32Array(chunks * CHUNK), this.#stamps);
  }
}
