"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.JobLine = void 0;
/** A first-in, first-out queue of requests, on a ring that grows. */
class JobLine {
    size = 0;
    #first = 0;
    #jobs = new Int32Array(1_024);
    #stamps = new Int32Array(1_024);
    stamp = 0;
    push(job, stamp) {
        if (this.size === this.#jobs.length)
            this.#grow();
        const at = (this.#first + this.size) & (this.#jobs.length - 1);
        this.#jobs[at] = job;
        this.#stamps[at] = stamp;
        this.size += 1;
    }
    /** Removes the first job, returns it, and sets {@link stamp} to its stamp. */
    shift() {
        const at = this.#first;
        this.#first = (at + 1) & (this.#jobs.length - 1);
        this.size -= 1;
        this.stamp = this.#stamps[at];
        return this.#jobs[at];
    }
    #grow() {
        const { length } = this.#jobs;
        const inOrder = (ring) => {
            const turned = new Int32Array(2 * length);
            turned.set(ring.subarray(this.#first));
            turned.set(ring.subarray(0, this.#first), length - this.#first);
            return turned;
        };
        this.#jobs = inOrder(this.#jobs);
        this.#stamps = inOrder(this.#stamps);
        this.#first = 0;
    }
}
exports.JobLine = JobLine;
//# sourceMappingURL=job-line.js.map