import type { Policy } from '@ebb/core';
import type { Client } from '@ebb/testing';
import type { Slots } from '../slot-row.ts';

/** A client as it runs in a runtime. */
export interface Subject<Result = never> {
  make(policy: Policy): Client;
  readonly slots: Slots<Result>;
}
