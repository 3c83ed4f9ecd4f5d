import { dayMs } from '#shared/rules/inactivity.ts';
import type { Channel, Holding, Mark, Notice, Outcome, Owner, World } from './model.rules.ts';

/** Outcomes of mails and texts. Decisions, forecasts and pages share them. */

export function noticeOf({ notices }: World, id: number): Notice {
  const found = notices.find((notice) => notice.id === id);
  if (!found) throw new Error(`A world lacks its notice ${id}.`);
  return found;
}

/** Topics without a text: the owner has just been here, or had a text about this request within the day. */
export const untexted: ReadonlySet<Notice['topic']> = new Set([
  'another_request',
  'welcome_back',
  'sign_in',
  'not_owner',
]);

/** Channels by which this person is notified of a topic. */
export function channelsOf(
  { hasPhone }: Pick<Owner, 'hasPhone'>,
  { to, topic }: Pick<Notice, 'to' | 'topic'>,
): readonly Channel[] {
  return to === 'owner' && hasPhone && !untexted.has(topic) ? ['email', 'text'] : ['email'];
}

const outcomesOf = ({ outcomes }: Notice): Outcome[] => Object.values(outcomes);

/** Time of the first acceptance by a channel that has not bounced since. */
export function acceptedAt(notice: Notice): Mark | null {
  const taken = outcomesOf(notice).filter(({ kind, isBounced }) => kind === 'accepted' && !isBounced);
  return earliest(taken.map(({ at }) => at));
}

/** Time at which the last channel had failed. Null if one is still open or has accepted. */
export function triedAt(notice: Notice): Mark | null {
  if (acceptedAt(notice)) return null;
  const ends = notice.channels.map((channel) => notice.outcomes[channel]);
  if (ends.some((end) => !end || end.kind === 'withdrawn' || end.isBounced)) return null;
  return latest(ends.map((end) => (end as Outcome).at));
}

/** Time from which a notice counts as sent: a channel accepted it, or all failed. */
export function countsFrom(world: World, id: number): Mark | null {
  const notice = noticeOf(world, id);
  return acceptedAt(notice) ?? triedAt(notice);
}

/** True if a notice failed: it bounced, or every channel failed. */
export function wasInVain(notice: Notice): boolean {
  return hasBounced(notice) || triedAt(notice) !== null;
}

/**
 * Time from which a wait counts that contacts were notified of: the newest accepted mail that names its day. Null if
 * there is none.
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

/** True if the notice has not left by every channel, so that it can be withdrawn. */
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
 * True if the notice can be deleted: nothing open depends on it, and it has ended. A question of today is kept because
 * a contact is asked at most once a day. A notice after a restore is kept while letters wait, because it may bounce.
 */
export function isForgotten(world: World, notice: Notice, now: Mark): boolean {
  const { silence, request, release, restart, waitingLetters } = world;
  if (silence || request || release || notice.id === restart) return false;
  if (notice.topic === 'letters_wait' && waitingLetters.length > 0) return false;
  return !isUnderWay(notice) && (notice.topic !== 'question' || now.atMs - notice.written.atMs >= dayMs);
}
