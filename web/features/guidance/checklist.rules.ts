import { type ChecklistState, mergeChecklists, untouchedChecklist } from '#shared/rules/checklists.ts';

export type ShownItem = { text: string; isCompleted: boolean };

/** The items of a checklist as a person sees them: the usual ones that were not taken off, then their own. */
export function shownItems(usual: readonly string[], state: ChecklistState): ShownItem[] {
  const takenOff = new Set(state.customItems.filter(({ isListed }) => !isListed).map(({ text }) => text));
  const own = state.customItems.filter(({ text, isListed }) => isListed && !usual.includes(text));
  const completed = new Set(state.completedItems.filter(({ isCompleted }) => isCompleted).map(({ text }) => text));
  const texts = [...usual.filter((text) => !takenOff.has(text)), ...own.map(({ text }) => text)];
  return texts.map((text) => ({ text, isCompleted: completed.has(text) }));
}

/** Ticks an item, or takes its tick away. */
export function withTick(state: ChecklistState, item: ShownItem, nowMs: number): ChecklistState {
  const changedAtMs = laterThan(state, item.text, nowMs);
  return mergeChecklists(state, { ...untouchedChecklist, completedItems: [{ ...item, changedAtMs }] });
}

/** Puts an item on the list, or takes it off. */
export function withItem(
  state: ChecklistState,
  item: { text: string; isListed: boolean },
  nowMs: number,
): ChecklistState {
  const changedAtMs = laterThan(state, item.text, nowMs);
  return mergeChecklists(state, { ...untouchedChecklist, customItems: [{ ...item, changedAtMs }] });
}

/** The usual items again, and nothing ticked. */
export function asReset(state: ChecklistState, nowMs: number): ChecklistState {
  const changes = [...state.customItems, ...state.completedItems].map(({ changedAtMs }) => changedAtMs);
  return { ...untouchedChecklist, resetAtMs: Math.max(nowMs, state.resetAtMs, ...changes) };
}

/** The present, but after every change that this one follows: a clock may have been set back in between. */
function laterThan(state: ChecklistState, text: string, nowMs: number): number {
  const before = [...state.customItems, ...state.completedItems].filter((item) => item.text === text);
  return Math.max(nowMs, state.resetAtMs + 1, ...before.map(({ changedAtMs }) => changedAtMs + 1));
}
