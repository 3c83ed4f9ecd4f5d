import { dayMs } from '#shared/rules/inactivity.ts';
import type { Channel, Holding, Mark, Notice, Outcome, Owner, World } from './model.rules.ts';

/** What became of mails and texts: read by decisions, forecasts and pages alike. */

export function noticeOf({ notices }: World, id: number): Notice {
  const found = notices.find((notice) => notice.id === id);
  if (!found) throw new Error(`A world lacks its notice ${id}.`);
  return found;
}

/** Topics without a text: the owner has just been here, or had a text about the emergency form within the day. */
export const untexted: ReadonlySet<Notice['topic']> = new Set([
  'another_request',
  'welcome_back',
  'sign_in',
  'not_owner',
]);

/** The channels by which something is told to this person. */
export function channelsOf(
  { hasPhone }: Pick<Owner, 'hasPhone'>,
  { to, topic }: Pick<Notice, 'to' | 'topic'>,
): readonly Channel[] {
  return to === 'owner' && hasPhone && !untexted.has(topic) ? ['email', 'text'] : ['email'];
}

const outcomesOf = ({ outcomes }: Notice): Outcome[] => Object.values(outcomes);

/** When the first of its channels took a notice, and no bounce has taken that back. */
export function acceptedAt(notice: Notice): Mark | null {
  const taken = outcomesOf(notice).filter(({ kind, isBounced }) => kind === 'accepted' && !isBounced);
  return earliest(taken.map(({ at }) => at));
}

/** When the last of its channels had been tried in vain; null while one is still open or has taken it. */
export function triedAt(notice: Notice): Mark | null {
  if (acceptedAt(notice)) return null;
  const ends = notice.channels.map((channel) => notice.outcomes[channel]);
  if (ends.some((end) => !end || end.kind === 'withdrawn' || end.isBounced)) return null;
  return latest(ends.map((end) => (end as Outcome).at));
}

/** When a notice counts as sent: taken by somebody, or tried by every channel in vain. */
export function countsFrom(world: World, id: number): Mark | null {
  const notice = noticeOf(world, id);
  return acceptedAt(notice) ?? triedAt(notice);
}

/** Whether a notice came to nothing: it bounced, or was tried in vain by every channel. */
export function wasInVain(notice: Notice): boolean {
  return hasBounced(notice) || triedAt(notice) !== null;
}

/**
 * From when the days of a wait count that contacts were told of: when the newest mail was written that named its day to one
 * of them and was accepted. Null if none was.
 */
export function contactsToldFrom(world: World, { notice }: Holding): Mark | null {
  const { notices } = world;
  // A wait begins with a mail to each contact who has confirmed. Its notice to the owner may be a later one.
  const began = notices.findLast(({ topic }) => topic === 'yes_kept')?.written ?? noticeOf(world, notice).written;
  const named = notices.filter(({ topic, written }) => {
    return (topic === 'yes_kept' || topic === 'question') && written.healthyMs >= began.healthyMs;
  });
  return latest(named.filter((each) => acceptedAt(each)).map(({ written }) => written));
}

/** Still on its way, or waiting to be: it can be withdrawn. */
export function isUnderWay(notice: Notice): boolean {
  return notice.channels.some((channel) => !notice.outcomes[channel]);
}

export function hasBounced(notice: Notice): boolean {
  return outcomesOf(notice).some(({ isBounced }) => isBounced) && !acceptedAt(notice);
}

export function earliest(marks: readonly Mark[]): Mark | null {
  return marks.reduce<Mark | null>((least, mark) => (!least || mark.healthyMs < least.healthyMs ? mark : least), null);
}
export function latest(marks: readonly Mark[]): Mark | null {
  return marks.reduce<Mark | null>((most, mark) => (!most || mark.healthyMs > most.healthyMs ? mark : most), null);
}

/**
 * Whether nothing rests on this notice any more: nothing is open, and it has ended. A question of today is kept, since nobody
 * is asked twice a day; and so is the notice after a restore while letters wait for their day, since it may come back.
 */
export function isForgotten(world: World, notice: Notice, now: Mark): boolean {
  const { silence, request, release, restart, waitingLetters } = world;
  if (silence || request || release || notice.id === restart) return false;
  if (notice.topic === 'letters_wait' && waitingLetters.length > 0) return false;
  return !isUnderWay(notice) && (notice.topic !== 'question' || now.atMs - notice.written.atMs >= dayMs);
}
