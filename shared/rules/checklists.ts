/** The state of one checklist, and how two devices that both changed it come to agree. */

export const checklistIds = ['financial', 'utilities', 'contacts', 'funeral', 'digital'] as const;
export type ChecklistId = (typeof checklistIds)[number];

export const itemLengthMax = 200;
/** Changes that are remembered for one checklist, of either kind. */
export const rememberedItemsMax = 200;

/** An item that was added (`isListed`), or taken off, one of the usual ones included. Times are milliseconds since 1970. */
export type ListedItem = { text: string; isListed: boolean; changedAtMs: number };
export type CompletedItem = { text: string; isCompleted: boolean; changedAtMs: number };

export type ChecklistState = {
  customItems: ListedItem[];
  completedItems: CompletedItem[];
  /** Time when the list was last reset to the usual items; 0 for never. Older changes no longer count. */
  resetAtMs: number;
};

export const untouchedChecklist: ChecklistState = { customItems: [], completedItems: [], resetAtMs: 0 };

/**
 * Merges two states: the newest change of each item wins, and a reset undoes older changes. The order of the
 * arguments does not matter.
 */
export function mergeChecklists(one: ChecklistState, other: ChecklistState): ChecklistState {
  const resetAtMs = Math.max(one.resetAtMs, other.resetAtMs);
  const merged = <Item extends ListedItem | CompletedItem>(items: readonly Item[]) =>
    newestOfEach(items.filter(({ changedAtMs }) => changedAtMs > resetAtMs));
  return {
    customItems: merged([...one.customItems, ...other.customItems]),
    completedItems: merged([...one.completedItems, ...other.completedItems]),
    resetAtMs,
  };
}

/** State with no time later than `nowMs`, so that a device with a fast clock can't win permanently. */
export function notAfter(state: ChecklistState, nowMs: number): ChecklistState {
  const clamped = <Item extends ListedItem | CompletedItem>(item: Item) => ({
    ...item,
    changedAtMs: Math.min(item.changedAtMs, nowMs),
  });
  return {
    customItems: state.customItems.map(clamped),
    completedItems: state.completedItems.map(clamped),
    // A reset stays earlier than the changes made after it.
    resetAtMs: Math.min(state.resetAtMs, Math.max(0, nowMs - 1)),
  };
}

/** True if two states show the same list, whenever it was changed. */
export function isSameChecklist(one: ChecklistState, other: ChecklistState): boolean {
  return shown(one) === shown(other);
}

function shown({ customItems, completedItems }: ChecklistState): string {
  const listed = customItems.map(({ text, isListed }) => [text, isListed]);
  const completed = completedItems.filter(({ isCompleted }) => isCompleted).map(({ text }) => text);
  return JSON.stringify([listed.sort(), completed.sort()]);
}

/** In the order in which the items were first changed, oldest first, which is the order in which they were added. */
function newestOfEach<Item extends ListedItem | CompletedItem>(items: readonly Item[]): Item[] {
  const newest = new Map<string, Item>();
  for (const item of items) {
    const known = newest.get(item.text);
    if (!known || isNewer(item, known)) newest.set(item.text, item);
  }
  return [...newest.values()].sort(byTime).slice(-rememberedItemsMax);
}

/** If the times are equal, an existing item wins over a removed one, so that nothing is lost. */
function isNewer(item: ListedItem | CompletedItem, known: ListedItem | CompletedItem): boolean {
  if (item.changedAtMs !== known.changedAtMs) return item.changedAtMs > known.changedAtMs;
  return isThere(item) && !isThere(known);
}

function isThere(item: ListedItem | CompletedItem): boolean {
  return 'isListed' in item ? item.isListed : item.isCompleted;
}

function byTime(one: ListedItem | CompletedItem, other: ListedItem | CompletedItem): number {
  return one.changedAtMs - other.changedAtMs || (one.text < other.text ? -1 : Number(one.text > other.text));
}
