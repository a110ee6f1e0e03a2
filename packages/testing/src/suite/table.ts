import type { Row } from './row.ts';
import { aborts } from './rows/aborts.ts';
import { costs } from './rows/costs.ts';
import { feedback } from './rows/feedback.ts';
import { hooks } from './rows/hooks.ts';
import { inspected } from './rows/inspections.ts';
import { limited } from './rows/limits.ts';
import { misbehaving } from './rows/misbehaviour.ts';
import { redirects } from './rows/redirects.ts';
import { refreshed } from './rows/refresh-on-401.ts';
import { repeating } from './rows/repeats.ts';
import { responses } from './rows/responses.ts';
import { retryAfter } from './rows/retry-after.ts';
import { streams } from './rows/streams.ts';
import { bounded } from './rows/total.ts';
import { trust } from './rows/trust.ts';

/** Every row. */
export const table: readonly Row[] = [
  ...responses,
  ...retryAfter,
  ...repeating,
  ...misbehaving,
  ...streams,
  ...feedback,
  ...inspected,
  ...costs,
  ...hooks,
  ...refreshed,
  ...limited,
  ...aborts,
  ...bounded,
  ...redirects,
  ...trust,
];
