/** Time as it really passes, and as the clocks of the machine show it. Milliseconds. */
export type WorldTime = {
  /** Milliseconds since 1970; no clock change affects it. */
  readonly trueMs: number;
  /** Part of it in which the service was running. */
  readonly upMs: number;
  /** Time of the machine's clock. */
  wallMs(): number;
  /** True if that is behind a time it has shown before. */
  isBehind(): boolean;
  /** The moments that have been, counted by the run. */
  readonly moment: number;
  pass(ms: number, state: { isUp: boolean }): void;
  /** Sets the machine's clock forward or back. */
  jump(ms: number): void;
  nextMoment(): void;
};

export function createWorldTime(startMs: number): WorldTime {
  let trueMs = startMs;
  let upMs = 0;
  let offsetMs = 0;
  let highestMs = startMs;
  let moment = 0;
  return {
    get trueMs() {
      return trueMs;
    },
    get upMs() {
      return upMs;
    },
    get moment() {
      return moment;
    },
    wallMs: () => trueMs + offsetMs,
    isBehind: () => trueMs + offsetMs < highestMs,
    pass(ms, { isUp }) {
      trueMs += ms;
      if (isUp) upMs += ms;
      highestMs = Math.max(highestMs, trueMs + offsetMs);
    },
    jump(ms) {
      offsetMs += ms;
      highestMs = Math.max(highestMs, trueMs + offsetMs);
    },
    nextMoment() {
      moment += 1;
    },
  };
}
