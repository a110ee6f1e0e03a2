import type { RequestOptions } from '@ebb/core';
declare global {
    /** The second parameter of `fetch`. */
    interface RequestInit {
        /** Policy options for this request only; `false` bypasses ebb. A fetch without ebb ignores it. */
        ebb?: RequestOptions | undefined;
    }
}
//# sourceMappingURL=global.d.ts.map