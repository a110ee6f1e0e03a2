import type { AdapterUnderTest } from './adapter.ts';
import type { StartUpstream } from './step.ts';
/** How the rows of an adapter are answered. */
export declare function upstreamsOf({ upstream, mock }: AdapterUnderTest): StartUpstream;
//# sourceMappingURL=upstream.d.ts.map