import type { InternalAxiosRequestConfig } from 'axios';
/** A form whose parts are all in memory, as one buffer that can be sent more than once. */
export declare class BufferedForm {
    #private;
    private constructor();
    /** Returns `undefined` if `data` is not such a form, or contains a stream. */
    static of(data: unknown): BufferedForm | undefined;
    /** Sets the headers that axios would set for the form, and returns its bytes. */
    next(config: InternalAxiosRequestConfig): ArrayBuffer;
}
//# sourceMappingURL=buffered-form.d.ts.map