/** Future events by time. Events at equal times keep their order of insertion. */
export type Agenda<Item> = {
  add(atMs: number, item: Item): void;
  nextMs(): number;
  /** Takes out everything until this time, in order. */
  take(untilMs: number): Item[];
};

export function createAgenda<Item>(): Agenda<Item> {
  let entries: { atMs: number; item: Item }[] = [];
  return {
    add(atMs, item) {
      const after = entries.findIndex((entry) => entry.atMs > atMs);
      entries.splice(after === -1 ? entries.length : after, 0, { atMs, item });
    },
    nextMs: () => entries[0]?.atMs ?? Number.POSITIVE_INFINITY,
    take(untilMs) {
      const due = entries.filter(({ atMs }) => atMs <= untilMs);
      entries = entries.slice(due.length);
      return due.map(({ item }) => item);
    },
  };
}
