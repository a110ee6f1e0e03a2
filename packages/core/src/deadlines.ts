export { type DeadlineOptions, deadline } from './plugins/deadlines/deadline.ts';
export {
  type IncomingRequest,
  type RemainingTime,
  type RemainingTimeOptions,
  remainingFrom,
} from './plugins/deadlines/remaining-time.ts';
