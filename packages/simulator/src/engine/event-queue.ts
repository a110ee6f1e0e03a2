import { EventHeap } from './event-heap.ts';
import { CHUNK, EventPages, NONE } from './event-pages.ts';

/** The calendar has a page for each day of the current month, then one for each of this many months. */
const DAYS = 16_384;
const MONTHS = 64;
/** The last page holds all later events. */
const LATER = DAYS + MONTHS;

/**
 * Called with the events of a day before they happen: a stretch of an array. Reading their subjects here fetches
 * them from memory in parallel, instead of one after the other when each event happens.
 */
export type Touch = (events: Int32Array, from: number, to: number) => void;

/**
 * Events in order of time, and at equal times in the order in which they were added. An event is two whole numbers
 * whose meaning is the caller's.
 *
 * A heap holds the events of the current day only, a short stretch of time. Events of later days lie unsorted on the
 * pages of a calendar: they move to the page of their day when their month begins, and into the heap when their day
 * does. So an event costs the same with a thousand pending events as with a million. A single large heap would cost
 * three times as much, most of it cache misses.
 *
 * Source: Brown, "Calendar Queues", 1988.
 */
export class EventQueue {
  size = 0;
  /** The two numbers of the event that {@link pop} removed. */
  event = 0;
  stamp = 0;
  readonly #today = new EventHeap();
  readonly #pages = new EventPages(LATER + 1);
  readonly #dayMs: number;
  /** The number of the current day, and of the current month. */
  #day = -1;
  #month = 0;
  /** The earliest month of the events on the last page. */
  #firstLater = Number.POSITIVE_INFINITY;
  #nextOrder = 0;
  readonly #touch: Touch | undefined;

  /** A day should hold a few dozen events: the heap is slow with many more, and finding the next day with many fewer. */
  constructor(dayMs = 1, touch?: Touch) {
    this.#dayMs = dayMs;
    this.#touch = touch;
  }

  /** The time of the next event; `Infinity` if there is none. */
  get nextAtMs(): number {
    if (this.#today.size === 0) this.#findDay();
    return this.#today.nextAtMs;
  }

  /** `atMs` must not be negative. */
  push(atMs: number, event: number, stamp = 0): void {
    const order = this.#nextOrder;
    this.#nextOrder += 1;
    this.size += 1;
    const day = Math.floor(atMs / this.#dayMs);
    if (day <= this.#day) this.#today.push(atMs, order, event, stamp);
    else this.#pages.put(this.#pageOf(day), atMs, order, event, stamp);
  }

  /** Removes the next event and sets {@link event} and {@link stamp} to its numbers. */
  pop(): void {
    const today = this.#today;
    if (today.size === 0) this.#findDay();
    today.pop();
    this.size -= 1;
    this.event = today.event;
    this.stamp = today.stamp;
  }

  #pageOf(day: number): number {
    const ahead = day - this.#month * DAYS;
    if (ahead < DAYS) return ahead;
    const month = Math.floor(day / DAYS);
    if (month < this.#month + MONTHS) return DAYS + (month % MONTHS);
    this.#firstLater = Math.min(this.#firstLater, month);
    return LATER;
  }

  /** Moves on to the next day that has events. */
  #findDay(): void {
    if (this.size === 0) return;
    for (;;) {
      const firstDay = this.#month * DAYS;
      for (let page = this.#day + 1 - firstDay; page < DAYS; page += 1) {
        if (this.#pages.isEmpty(page)) continue;
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
    while (month < last + MONTHS && this.#pages.isEmpty(DAYS + (month % MONTHS))) month += 1;
    if (month === last + MONTHS) month = this.#firstLater;
    this.#month = month;
    this.#day = month * DAYS - 1;
    this.#empty(DAYS + (month % MONTHS));
    // The calendar now reaches further, so some of the events on the last page may get a page of their own.
    if (this.#firstLater >= month + MONTHS) return;
    this.#firstLater = Number.POSITIVE_INFINITY;
    this.#empty(LATER);
  }

  /** Moves all events of a page to where they belong now. */
  #empty(page: number): void {
    const pages = this.#pages;
    let filled = pages.filled(page);
    for (let chunk = pages.detach(page); chunk !== NONE; chunk = pages.free(chunk)) {
      const from = chunk * CHUNK;
      if (page < DAYS) this.#touch?.(pages.events, from, from + filled);
      for (let at = from; at < from + filled; at += 1) {
        const atMs = pages.times[at] as number;
        const order = pages.orders[at] as number;
        const event = pages.events[at] as number;
        const stamp = pages.stamps[at] as number;
        const day = page < DAYS ? this.#day : Math.floor(atMs / this.#dayMs);
        if (day > this.#day) pages.put(this.#pageOf(day), atMs, order, event, stamp);
        else this.#today.push(atMs, order, event, stamp);
      }
      filled = CHUNK;
    }
  }
}
