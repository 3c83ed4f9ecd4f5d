import { claimDrafts, clearDraft, loadDraft, saveDraft } from '#web/lib/drafts/draft-store.ts';
import { adopted, emptyHeld, type Held } from './held.rules.ts';

/** What is held is words to other people and about them, so it is kept encrypted. */
const kind = { secret: true };
const visitorsName = 'easy-setup:visitor';

/**
 * What was held when a visitor was signed in, for the page that takes over from theirs. A browser that keeps no drafts
 * has it from here.
 */
let handedOver: { userId: string; held: Held } | undefined;
let saving: Promise<unknown> | undefined;

/**
 * What this device holds for a person, or for a visitor. Waits until nothing is being saved in a new vault. A wizard that
 * was finished on an earlier visit holds nothing, however its last step was left.
 */
export async function loadHeld(userId: string | null): Promise<Held> {
  await saving;
  const visitors = await loadDraft<Partial<Held>>(visitorsName, kind);
  if (userId === null) {
    handedOver = undefined;
    return { ...emptyHeld, ...visitors };
  }
  // Words of somebody who used this browser before and did not sign out are removed first.
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
 * What a visitor typed becomes that of the account they have just opened, or had. All of it counts as still to be
 * saved: saving again does no harm.
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

/** True if this browser keeps what is typed across a reload. */
export function keepsWords(): boolean {
  return typeof indexedDB !== 'undefined' && globalThis.crypto?.subtle !== undefined;
}

/** What an owner's vault holds is asked again on every visit; they may have changed it elsewhere. */
function fresh(held: Held): Held {
  return held.form === 'owner' ? { ...held, saved: [] } : held;
}

function wordsOf({ settings, contact, message }: Held): Pick<Held, 'settings' | 'contact' | 'message'> {
  return { settings, contact, message };
}

function nameFor(userId: string | null): string {
  return userId === null ? visitorsName : `easy-setup:${userId}`;
}
