import { Fault } from './judge.ts';
import type { Life } from './life.ts';
import { type Core, type Forgiven, live } from './world.ts';

export function faultOf(life: Life, core: Core, quietFromDay?: number, forgiven: Forgiven = new Set()): Fault | null {
  try {
    live(life, core, { forgiven, ...(quietFromDay === undefined ? {} : { quietFromDay }) });
    return null;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** The smallest life that was found with the same fault: what isn't needed for it is left out, one thing after the other. */
export function shrunk(
  life: Life,
  core: Core,
  code: string,
  quietFromDay?: number,
  forgiven: Forgiven = new Set(),
  triesMax = 3000,
): Life {
  // A shorter life keeps the day on which it grows quiet.
  let best = quietFromDay === undefined ? life : { ...life, quietFromDay };
  let tries = 0;
  const isAlike = (candidate: Life) => {
    tries += 1;
    return faultOf(candidate, core, quietFromDay, forgiven)?.code === code;
  };
  for (let isBetter = true; isBetter && tries < triesMax; ) {
    isBetter = false;
    for (const candidate of smaller(best)) {
      if (tries >= triesMax) break;
      if (!isAlike(candidate)) continue;
      best = candidate;
      isBetter = true;
      break;
    }
  }
  return best;
}

function* smaller(life: Life): Generator<Life> {
  const { acts, contacts, ownerReplies } = life;
  for (let size = acts.length >> 1; size >= 1; size >>= 1)
    for (let from = 0; from < acts.length; from += size)
      yield { ...life, acts: [...acts.slice(0, from), ...acts.slice(from + size)] };
  if (life.declines.length > 0) yield { ...life, declines: [] };
  if (life.ownDays.some((days) => days !== 0)) yield { ...life, ownDays: [], declines: [] };
  for (const index of ownerReplies.keys())
    yield { ...life, ownerReplies: ownerReplies.filter((_, at) => at !== index) };
  if (contacts.length > 0) {
    const left = contacts.length - 1;
    yield { ...life, contacts: contacts.slice(0, -1), acts: acts.filter(({ who }) => who !== left) };
  }
  for (const [index, contact] of contacts.entries()) {
    const put = (changed: Partial<typeof contact>) => ({
      ...life,
      contacts: contacts.map((other, at) => (at === index ? { ...other, ...changed } : other)),
    });
    if (contact.replies.length > 0) yield put({ replies: contact.replies.slice(0, -1) });
    if (contact.joinsAfterHours > 0) yield put({ joinsAfterHours: -2400 });
    for (const [at, reply] of contact.replies.entries()) {
      const swap = (other: typeof reply) =>
        put({ replies: contact.replies.map((one, place) => (place === at ? other : one)) });
      const { again, ...plain } = reply;
      if (again) yield swap(plain);
      if (reply.says !== 'nothing') yield swap({ says: 'nothing', afterHours: 0 });
      if (reply.afterHours > 0) yield swap({ ...reply, afterHours: 0 });
    }
  }
  if (life.hasPhone) yield { ...life, hasPhone: false };
  if (life.letters > 1) yield { ...life, letters: 1 };
  if (life.documents > 0) yield { ...life, documents: 0 };
  if (life.quorum > 1) yield { ...life, quorum: life.quorum - 1 };
  if (life.inactivityDays > 90) yield { ...life, inactivityDays: 90 };
  if (life.days > 150) yield { ...life, days: life.days - 50 };
  for (const [index, act] of acts.entries()) {
    const put = (changed: typeof act) => ({ ...life, acts: acts.map((other, at) => (at === index ? changed : other)) });
    if (act.hours !== undefined && act.hours > 1) yield put({ ...act, hours: Math.floor(act.hours / 2) });
    if (act.atHours % 24 !== 0) yield put({ ...act, atHours: act.atHours - (act.atHours % 24) });
  }
}
