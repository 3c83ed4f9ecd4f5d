import { claimDrafts, clearDraft, loadDraft, saveDraft } from '#web/lib/drafts/draft-store.ts';
import { type Answers, adopted, emptyAnswers } from './answers.rules.ts';

/** Unsaved answers are words to and about other people, so they are stored encrypted. */
const kind = { secret: true };
const visitorsName = 'easy-setup:visitor';

/** Unsaved answers of a visitor who signed in, for the page that takes over. Used by browsers without stored drafts. */
let handedOver: { userId: string; answers: Answers } | undefined;
let saving: Promise<unknown> | undefined;

/**
 * Unsaved answers on this device for a person or a visitor. Waits until nothing is being saved in a new vault. A
 * finished wizard has none, whatever its last step was.
 */
export async function loadAnswers(userId: string | null): Promise<Answers> {
  await saving;
  const visitors = await loadDraft<Partial<Answers>>(visitorsName, kind);
  if (userId === null) {
    handedOver = undefined;
    return { ...emptyAnswers, ...visitors };
  }
  // Removes text of a previous person who did not sign out.
  await claimDrafts(userId);
  const kept = await loadDraft<Partial<Answers>>(nameFor(userId), kind);
  const mine = handedOver?.userId === userId ? handedOver.answers : undefined;
  const isFinished = kept?.step === 'done' && mine === undefined;
  const own = kept && !isFinished ? fresh({ ...emptyAnswers, ...kept }) : mine;
  if (!visitors) return own ?? { ...emptyAnswers, form: 'owner' };
  const answers = adopted(own, { ...emptyAnswers, ...visitors });
  await storeAnswers(userId, answers);
  await clearDraft(visitorsName);
  return answers;
}

export async function storeAnswers(userId: string | null, answers: Answers): Promise<void> {
  await saveDraft(nameFor(userId), answers, kind);
}

export async function forgetAnswers(userId: string | null): Promise<void> {
  if (handedOver?.userId === userId) handedOver = undefined;
  await clearDraft(nameFor(userId));
}

/**
 * Moves a visitor's answers to the account they opened or had. All parts count as unsaved, because saving again does
 * no harm.
 */
export async function handOver(userId: string, visitors: Answers): Promise<Answers> {
  await claimDrafts(userId);
  const kept = await loadDraft<Partial<Answers>>(nameFor(userId), kind);
  const own = kept ? { ...emptyAnswers, ...kept } : undefined;
  const answers: Answers = { ...visitors, ...wordsOf(adopted(own, visitors)), isAccountOpen: true, saved: [] };
  await keepHandedOver(userId, answers);
  await clearDraft(visitorsName);
  return answers;
}

export async function keepHandedOver(userId: string, answers: Answers): Promise<void> {
  handedOver = { userId, answers };
  await storeAnswers(userId, answers);
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
function fresh(answers: Answers): Answers {
  return answers.form === 'owner' ? { ...answers, saved: [] } : answers;
}

function wordsOf({ settings, contact, message }: Answers): Pick<Answers, 'settings' | 'contact' | 'message'> {
  return { settings, contact, message };
}

function nameFor(userId: string | null): string {
  return userId === null ? visitorsName : `easy-setup:${userId}`;
}
