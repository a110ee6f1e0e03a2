import type { Policy } from '@ebb/core';
import type { Client } from '../../play.ts';
import type { ClientName } from '../../scenarios.ts';
import type { Slots } from '../slot-row.ts';

/** A client as it runs in a runtime. */
export interface Subject<Result = never> {
  /** Whose differences apply. */
  readonly client: ClientName;
  make(policy: Policy): Client;
  readonly slots: Slots<Result>;
}
