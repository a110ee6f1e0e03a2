import { Download, downloadIn } from './download.ts';
import type { ReadHeader, Resumable } from './resumable.ts';

/** A download as a body that may break. One that cannot be resumed is passed on, and its break says why. */
export class DownloadCourse extends Download implements Resumable {
  /** @param lost why it cannot be resumed, if not for its headers */
  constructor(status: number, header: ReadHeader, lost?: string) {
    const bytes = lost ?? downloadIn(status, header);
    const isLost = typeof bytes === 'string';
    super(isLost ? { first: 0, last: Number.POSITIVE_INFINITY, whole: Number.NaN } : bytes, header);
    if (isLost) this.lost = bytes;
  }

  take(part: Uint8Array): readonly Uint8Array[] | undefined {
    return this.has(part) ? [part] : undefined;
  }

  get mayEnd(): boolean {
    return this.isDone || this.lost !== undefined;
  }

  left(): readonly Uint8Array[] {
    return [];
  }

  begin(): void {
    this.isRest = true;
  }
}
