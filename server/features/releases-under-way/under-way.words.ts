import { isUnderReview, waitsForReminders, yesesOf } from '#server/features/release-core/facts.rules.ts';
import { type Forecast, forecastOf } from '#server/features/release-core/forecast.rules.ts';
import { endOf, type Mark, questionDays, type Request, type World } from '#server/features/release-core/model.rules.ts';
import { comingLettersOf } from '#server/features/release-core/own-days.rules.ts';
import type { ReleaseState } from '#shared/contract/release/release.ts';

/** One thing that a release waits for. `until` is null if no day is foreseen. */
export type Wait = { what: string; until: Date | null };

export type UnderWayFacts = {
  world: World;
  now: Mark;
  account: string;
  /** The account is frozen by name. Otherwise a freeze is for all accounts. */
  isFrozenByName: boolean;
  isClockBehind: boolean;
  /** Mails of the account that were tried and not accepted yet. */
  failing: number;
  /** When an email in answer to a reminder or a question of ours last came. Null if none came. */
  repliedAt: Date | null;
};

/** States in plain words, for the Admin Panel and `everkept release show`. */
export const stateWords: Record<ReleaseState, string> = {
  watching: 'No release is open',
  reminded: 'The owner was reminded once',
  warned: 'The owner was reminded twice',
  asking: 'Contacts are asked',
  paused: 'Paused by a contact’s no',
  holding: 'Confirmed, and waiting for the owner',
  releasing: 'Letters are being sent',
  released: 'Letters were sent',
  halted: 'Stopped by the owner',
};

/** Returns everything that a release waits for: what blocks it first, then the steps of the release. A reply by email is named too. */
export function waitsOf(facts: UnderWayFacts): Wait[] {
  return [...stopsOf(facts), ...mailTrouble(facts), ...replies(facts), ...stepsOf(facts), ...ownDays(facts)];
}

/** One wait in a sentence part, such as `The owner’s waiting period of 3 days, until 2026-12-03`. */
export function waitWords({ what, until }: Wait): string {
  return until ? `${what}, until ${until.toISOString().slice(0, 10)}` : what;
}

function stopsOf({ world, account, isFrozenByName, isClockBehind }: UnderWayFacts): Wait[] {
  const { stops, contacts, silence, request } = world;
  const found: (string | false)[] = [
    isFrozenByName && `A freeze of this account. To end it: everkept release resume ${account}`,
    stops.isFrozen && !isFrozenByName && 'A freeze of all releases. To end it: everkept release resume',
    stops.isSilenceStopped &&
      (silence !== null || request?.cause === 'silence') &&
      'The breaker, which stops releases by silence. To end it: everkept release resume',
    isUnderReview(world) &&
      `Your review: its early release would write to many new mailboxes. To allow it: everkept release resume ${account}`,
    contacts.some(({ isUnderReview }) => isUnderReview) &&
      'Your review of a mailbox that confirmed early for several owners. See: everkept release show',
    isClockBehind && 'The clock, which shows a time that has passed already. See: everkept clock show',
  ];
  return found.flatMap((what) => (what ? [{ what, until: null }] : []));
}

function mailTrouble({ failing }: UnderWayFacts): Wait[] {
  if (failing === 0) return [];
  const mails = failing === 1 ? '1 email is' : `${failing} emails are`;
  return [{ what: `Mail trouble: ${mails} still tried`, until: null }];
}

/** Names a reply by its time alone: its words are only in the mailbox. */
function replies({ repliedAt }: UnderWayFacts): Wait[] {
  if (!repliedAt) return [];
  const [day, time] = repliedAt.toISOString().slice(0, 16).split('T');
  const what = `A reply to our email came on ${day} at ${time} UTC. It is not an answer. Read it in the mailbox`;
  return [{ what, until: null }];
}

function stepsOf({ world, now }: UnderWayFacts): Wait[] {
  const { release, request, silence } = world;
  if (release) return releasing(release, now);
  if (!request && !silence) return [];
  const ahead = forecastOf(world, now);
  if (request) return [requestWait(world, request, ahead)];
  return silence?.lastNotice === null
    ? [{ what: 'The day of the last reminder', until: dayOf(ahead('last_reminder_written')) }]
    : [{ what: 'The day on which contacts are asked', until: dayOf(ahead('request_opened')) }];
}

function requestWait(world: World, request: Request, ahead: Forecast): Wait {
  const { phase } = request;
  if (phase.name === 'holding') {
    const until = dayOf(ahead('released'));
    // Only a silence that takes the request over ends the review without the operator.
    if (isUnderReview(world)) return { what: 'Without your review: the end of a long silence', until };
    return { what: `The owner’s waiting period of ${days(phase.days)}`, until };
  }
  if (phase.name === 'paused')
    return { what: 'The pause, before contacts are asked again', until: dayOf(ahead('asked_anew')) };
  const answers = `Confirmations: ${yesesOf(world, request).length} of ${request.terms.needed}`;
  if (waitsForReminders(world)) return { what: `${answers}, or a reminder that reaches the owner`, until: null };
  const ends = ahead('request_ended');
  const goes = ahead('released');
  if (goes !== null && (ends === null || goes <= ends)) {
    return { what: `${answers}, or the end of the answer time`, until: dayOf(goes) };
  }
  if (ends !== null) return { what: `${answers}, or the end of the request`, until: dayOf(ends) };
  return { what: `${answers}, without a last day`, until: null };
}

function releasing({ letters, question }: NonNullable<World['release']>, now: Mark): Wait[] {
  const sending = letters.filter(({ state }) => state === 'waiting').length;
  return [
    ...(question
      ? [
          {
            what: 'The answer of the owner, who signed in after letters had left',
            until: new Date(endOf({ from: question, days: questionDays }, now)),
          },
        ]
      : []),
    ...(sending > 0 ? [{ what: `${letterCount(sending)} not delivered yet`, until: null }] : []),
  ];
}

function ownDays({ world }: UnderWayFacts): Wait[] {
  const due = comingLettersOf(world).map(({ dueAtMs }) => dueAtMs);
  if (due.length === 0) return [];
  const what = due.length === 1 ? '1 letter with a day of its own' : `${due.length} letters with days of their own`;
  return [{ what, until: new Date(Math.min(...due)) }];
}

function letterCount(count: number): string {
  return count === 1 ? '1 letter' : `${count} letters`;
}

function days(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

function dayOf(atMs: number | null): Date | null {
  return atMs === null ? null : new Date(atMs);
}
