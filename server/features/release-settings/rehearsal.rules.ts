import type { Event } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { allTaken } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, Notice, Request, World } from '#server/features/release-core/model.rules.ts';
import { noticeOf } from '#server/features/release-core/notice-facts.rules.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** Maximum of emails in one rehearsal. Mails for further letters differ in their recipient alone. */
export const rehearsalMailsMax = 100;
/** Maximum of complete rehearsals that an owner may have sent per day. */
export const rehearsalBudget = { limit: 3, windowMs: dayMs };

export type RehearsalStep =
  | 'first_reminder'
  | 'last_reminder'
  | 'owner_asked'
  | 'contact_asked'
  | 'owner_releasing'
  | 'letter'
  | 'contact_released'
  | 'own_day';

/** One email of a release, and the world in which it would be written. */
export type Rehearsed = {
  step: RehearsalStep;
  /** `owner`, the id of a contact, or null for mails to recipients. */
  to: string | null;
  topic: Notice['topic'] | null;
  world: World;
  now: Mark;
  /** False if people decide when. */
  isDated: boolean;
};

/** More than a release has steps. */
const visitsMax = 200;

/**
 * Rehearses a release from its first reminder to its end without activity: the core runs forward from this world, and
 * every mail is accepted immediately. If people decide, as many confirm as must, on an unknown day.
 */
export function rehearse(world: World, now: Mark): Rehearsed[] {
  const start = asRehearsed(world);
  const rehearsed = written(start);
  let at = now;
  let here = start;
  let isDated = true;
  for (let visits = 0; visits < visitsMax; visits += 1) {
    const { events, lookAgainAtMs, blockedBy } = visit(here, at);
    here = evolve(here, events, at);
    for (const told of stepsOf(events)) rehearsed.push({ ...told, world: here, now: at, isDated });
    // No contact can be asked, or no letter can be sent.
    if (blockedBy || here.release?.isDone) return rehearsed;

    const ended = [...allTaken(here), ...allArrived(here)];
    here = evolve(here, ended, at);
    if (ended.length > 0) continue;
    if (here.request && here.owner.method === 'trusted_contact') {
      if (!isDated) return rehearsed;
      here = evolve(here, confirmations(here, here.request), at);
      isDated = false;
      continue;
    }
    const nextMs = Math.max(lookAgainAtMs, at.atMs + 1);
    at = { atMs: nextMs, healthyMs: at.healthyMs + (nextMs - at.atMs) };
  }
  return rehearsed;
}

/** Rehearses silence alone, with its past reminders and without temporary obstacles. */
function asRehearsed(world: World): World {
  const { owner, silence } = world;
  const isReminder = ({ id }: Notice) => id === silence?.firstNotice || id === silence?.lastNotice;
  return {
    ...world,
    owner: { ...owner, isVerified: true },
    stops: { isFrozen: false, isSilenceStopped: false },
    request: null,
    release: null,
    past: [],
    notices: world.notices.filter(isReminder),
  };
}

/** Reminders that were written already, each as it was then. */
function written(start: World): Rehearsed[] {
  const { silence } = start;
  if (!silence) return [];
  const { firstNotice, lastNotice } = silence;
  const asThen = (topic: 'first_reminder' | 'last_reminder', id: number): Rehearsed => {
    const notices = start.notices
      .filter((notice) => notice.id <= id)
      .map((notice) => (notice.id === id ? { ...notice, outcomes: {} } : notice));
    const world = { ...start, silence: { ...silence, lastNotice: topic === 'last_reminder' ? id : null }, notices };
    return { step: topic, topic, to: 'owner', world, now: noticeOf(start, id).written, isDated: true };
  };
  const first = asThen('first_reminder', firstNotice);
  return lastNotice === null ? [first] : [first, asThen('last_reminder', lastNotice)];
}

type Told = Pick<Rehearsed, 'step' | 'to' | 'topic'>;

/** Notices of the events, in the order in which mails leave. */
function stepsOf(events: readonly Event[]): Told[] {
  const told = events.flatMap(stepOf);
  const isReleased = events.some(({ kind }) => kind === 'released');
  return isReleased ? [...told, { step: 'letter', to: null, topic: null }] : told;
}

function stepOf(event: Event): Told[] {
  switch (event.kind) {
    case 'first_reminder_written':
      return [{ step: 'first_reminder', to: 'owner', topic: 'first_reminder' }];
    case 'last_reminder_written':
      return [{ step: 'last_reminder', to: 'owner', topic: 'last_reminder' }];
    case 'asking_told':
      return [{ step: 'owner_asked', to: 'owner', topic: 'asked' }];
    case 'contact_asked':
      return event.isRepeat ? [] : [{ step: 'contact_asked', to: event.contactId, topic: 'question' }];
    case 'owner_told':
      return event.topic === 'releasing' ? [{ step: 'owner_releasing', to: 'owner', topic: 'releasing' }] : [];
    case 'contact_told':
      return event.topic === 'done' ? [{ step: 'contact_released', to: event.contactId, topic: 'done' }] : [];
    default:
      return [];
  }
}

function allArrived({ release }: World): Event[] {
  const waiting = release?.letters.filter(({ state }) => state === 'waiting') ?? [];
  return waiting.map(({ id }) => ({ kind: 'letter_ended', letterId: id, outcome: 'accepted' }));
}

function confirmations({ contacts }: World, { terms }: Request): Event[] {
  const confirming = contacts.slice(0, terms.needed);
  return confirming.map(({ id }) => ({ kind: 'answer_given', contactId: id, says: 'yes' }));
}

/** As many as one rehearsal has room for: letters are left out, the last first, since every other email is like none. */
export function roomFor<Mail extends { step: RehearsalStep }>(
  mails: readonly Mail[],
): { mails: Mail[]; leftOut: number } {
  const letters = mails.filter(({ step }) => step === 'letter');
  const kept = Math.max(0, rehearsalMailsMax - (mails.length - letters.length));
  const leftOut = new Set(letters.slice(kept));
  const shown = mails.filter((mail) => !leftOut.has(mail)).slice(0, rehearsalMailsMax);
  return { mails: shown, leftOut: mails.length - shown.length };
}
