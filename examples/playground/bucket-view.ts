import { LOOK_MS, type Stream, streamOf, WATCHED_MS } from './bucket.ts';
import { bucketFinding, drawBucket } from './bucket-chart.ts';
import { count } from './format.ts';
import { Moments } from './moments.ts';
import { announce, find, plot, tell } from './page.ts';
import type { Settings } from './settings.ts';

/** The bucket section of the page. */
export class BucketView {
  readonly #plots = { stream: plot('stream'), tokens: plot('tokens') };
  readonly #moments = new Moments(find('[data-moments="bucket"]'), Object.values(this.#plots));
  #wanted: Settings | undefined;
  #shown: { stream: Stream; settings: Settings } | undefined;
  #finding = '';

  async want(settings: Settings): Promise<void> {
    this.#wanted = settings;
    const stream = await streamOf(settings);
    // The settings may have changed meanwhile.
    if (this.#wanted !== settings) return;
    this.#shown = { stream, settings };
    const finding = bucketFinding(stream, settings);
    if (finding !== this.#finding) announce(finding);
    this.#finding = finding;
    tell('bucket', finding);
    const each = settings.requestsPerSecond / settings.clients;
    find('[data-bucket-note]').textContent = settings.bucket
      ? `Each client of the fleet has its own bucket, and makes ${count(each)} new requests per second.`
      : 'The fleet and the code have no bucket.';
    this.draw();
  }

  draw(): void {
    if (this.#shown === undefined) return;
    const { stream, settings } = this.#shown;
    drawBucket(this.#plots, stream, settings);
    this.#moments.load({
      moments: stream.tokens.length,
      stepMs: LOOK_MS,
      // In real time.
      playMs: WATCHED_MS,
      textAt: (at) => {
        const second = ((at * LOOK_MS) / 1_000).toFixed(2);
        return `${second} s: ${count(stream.tokens[at] ?? 0)} tokens, ${count(stream.waiting[at] ?? 0)} requests wait`;
      },
    });
  }
}
