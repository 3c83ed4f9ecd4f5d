import { claimDrafts, clearDraft, loadDraft, saveDraft } from '#web/lib/drafts/draft-store.ts';
import { adopted, emptyHeld, type Held } from './held.rules.ts';

/** Unsaved answers are words to and about other people, so they are stored encrypted. */
const kind = { secret: true };
const visitorsName = 'easy-setup:visitor';

/** Unsaved answers of a visitor who signed in, for the page that takes over. Used by browsers without stored drafts. */
let handedOver: { userId: string; held: Held } | undefined;
let saving: Promise<unknown> | undefined;

/**
 * Unsaved answers on this device for a person or a visitor. Waits until nothing is being saved in a new vault. A
 * finished wizard has none, whatever its last step was.
 */
export async function loadHeld(userId: string | null): Promise<Held> {
  await saving;
  const visitors = await loadDraft<Partial<Held>>(visitorsName, kind);
  if (userId === null) {
    handedOver = undefined;
    return { ...emptyHeld, ...visitors };
  }
  // Removes text of a previous person who did not sign out.
  await claimDrafts(userId);
  const kept = await loadDraft<Partial<Held>>(nameFor(userId), kind);
  const mine = handedOver?.userId === userId ? handedOver.held : undefined;
  const isFinished = kept?.step === 'done' && mine === undefined;
  const own = kept && !isFinished ? fresh({ ...emptyHeld, ...kept }) : mine;
  if (!visitors) return own ?? { ...emptyHeld, form: 'owner' };
  const held = adopted(own, { ...emptyHeld, ...visitors });
  await storeHeld(userId, held);
  await clearDraft(visitorsName);
  return held;
}

export async function storeHeld(userId: string | null, held: Held): Promise<void> {
  await saveDraft(nameFor(userId), held, kind);
}

export async function forgetHeld(userId: string | null): Promise<void> {
  if (handedOver?.userId === userId) handedOver = undefined;
  await clearDraft(nameFor(userId));
}

/**
 * Moves a visitor's answers to the account they opened or had. All parts count as unsaved, because saving again does
 * no harm.
 */
export async function handOver(userId: string, visitors: Held): Promise<Held> {
  await claimDrafts(userId);
  const kept = await loadDraft<Partial<Held>>(nameFor(userId), kind);
  const own = kept ? { ...emptyHeld, ...kept } : undefined;
  const held: Held = { ...visitors, ...wordsOf(adopted(own, visitors)), isAccountOpen: true, saved: [] };
  await keepHandedOver(userId, held);
  await clearDraft(visitorsName);
  return held;
}

export async function keepHandedOver(userId: string, held: Held): Promise<void> {
  handedOver = { userId, held };
  await storeHeld(userId, held);
}

/** Saves in a vault, alone in this browser: a second tab, and a page that is shown meanwhile, wait for the end. */
export async function alone<Result>(save: () => Promise<Result>): Promise<Result> {
  const before = saving;
  const inTurn = async () => {
    await before;
    return save();
  };
  const work = 'locks' in navigator ? navigator.locks.request('easy-setup', inTurn) : inTurn();
  const mark = work.catch(() => undefined);
  saving = mark;
  try {
    return await work;
  } finally {
    if (saving === mark) saving = undefined;
  }
}

/** True if this browser keeps the typed text across a reload. */
export function keepsWords(): boolean {
  return typeof indexedDB !== 'undefined' && globalThis.crypto?.subtle !== undefined;
}

/** The owner's vault is read again on every visit; it may have changed elsewhere. */
function fresh(held: Held): Held {
  return held.form === 'owner' ? { ...held, saved: [] } : held;
}

function wordsOf({ settings, contact, message }: Held): Pick<Held, 'settings' | 'contact' | 'message'> {
  return { settings, contact, message };
}

function nameFor(userId: string | null): string {
  return userId === null ? visitorsName : `easy-setup:${userId}`;
}
