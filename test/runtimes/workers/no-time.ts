// Loaded first. In production the clock of a worker shows 0 until its first request.
const { now } = Date;
Date.now = () => 0;

export function startTime(): void {
  Date.now = now;
}
