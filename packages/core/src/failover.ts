export {
  type Failover,
  type FailoverOptions,
  failoverWith,
  type MovableRequest,
} from './plugins/failover/failover.ts';
export type { EjectionOptions } from './plugins/failover/origins.ts';
