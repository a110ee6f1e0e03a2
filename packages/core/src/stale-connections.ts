export { replayOnStaleConnection, type StaleConnectionOptions } from './plugins/stale-connection/replay.ts';
