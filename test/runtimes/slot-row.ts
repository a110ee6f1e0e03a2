import type { Policy } from '@ebb/core';
import type { VirtualClock } from '@ebb/core/testing';
import type { RuntimeName } from './names.ts';

/** The paths of the slot server. */
export type SlotPath = 'short' | 'missing' | 'empty' | 'long' | 'half' | 'slow';

/** The bodies of `/short` and `/missing`, of `/long` (its length), and of `/slow` (in parts). */
export const SHORT = 'a short body';
export const LONG_BYTES = 4_000_000;
export const SLOW = 'one after another';

/** Longer than the interval at which unread bodies are checked. */
export const CHECKED_AFTER_MS = 1_100;

/** A way to use a response. `inUse` counts the slots that are held. */
export interface SlotWay<Result> {
  /** Options for the client. */
  readonly config?: object;
  readonly use: (result: Result, clock: VirtualClock, inUse: () => number) => unknown;
}

/** A way to use a response that holds the only slot. The slot must be free afterwards. */
export interface SlotRow<Result> extends SlotWay<Result> {
  readonly name: string;
  readonly path: SlotPath;
  readonly method?: string;
  /** What `use` must return. */
  readonly gives: unknown;
  /** Runtimes whose own client refuses this use, and how. */
  readonly refusedIn?: Readonly<Partial<Record<RuntimeName, string>>>;
}

/** A client with ebb, of which the slot rows use the results. */
interface SlotClient<Result> {
  get(url: string, method: string, config: object | undefined): Promise<Result>;
  close(): Promise<void>;
}

/** What the slot rows of a client need. */
export interface Slots<Result> {
  readonly rows: readonly SlotRow<Result>[];
  readonly ways: readonly SlotWay<Result>[];
  open(policy: Policy): SlotClient<Result>;
}
