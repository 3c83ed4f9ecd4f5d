import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './decide.rules.ts';
import type { Command, Event, Refusal } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import type { Contact, Mark, Owner, World } from './model.rules.ts';
import { visit } from './visit.rules.ts';

export const plainOwner: Owner = {
  lastActivityMs: 0,
  awayUntilMs: null,
  inactivityDays: 90,
  method: 'inactivity',
  quorum: 1,
  answerDays: 7,
  waitingDays: 3,
  isVerified: true,
  hasPhone: false,
};

/** A contact who accepted the role long enough ago to count. */
export const contact = (id: string, confirmedDay = -10): Contact => ({
  id,
  confirmed: { atMs: confirmedDay * dayMs, healthyMs: confirmedDay * dayMs },
});

export function worldOf(changes: Partial<World> = {}): World {
  return {
    owner: plainOwner,
    contacts: [contact('ada')],
    readyLetters: ['nell'],
    waitingLetters: [],
    restart: null,
    visibleDocuments: 0,
    stops: { isFrozen: false, isSilenceStopped: false },
    silence: null,
    request: null,
    release: null,
    notices: [],
    nextNotice: 1,
    past: [],
    ...changes,
  };
}

type Post = (to: string, day: number) => 'accepted' | 'tried' | 'later';

/** Simulates days with a mail server that answers by `post`, and records each day's events. */
export function live(world: World, post: Post = () => 'accepted') {
  let now: Mark = { atMs: 0, healthyMs: 0 };
  let here = world;
  const story: string[] = [];
  const day = () => Number((now.atMs / dayMs).toFixed(2));
  const quiet: Event['kind'][] = ['notice_ended', 'letter_ended', 'notice_bounced'];

  function record(events: readonly Event[]): void {
    here = evolve(here, events, now);
    for (const event of events) {
      if (quiet.includes(event.kind)) continue;
      const whom = 'contactId' in event ? ` ${event.contactId}` : '';
      const what = 'topic' in event ? ` ${event.topic}` : 'why' in event ? ` ${event.why}` : '';
      story.push(`${day()} ${event.kind}${whom}${what}`);
    }
  }

  function settle(): void {
    for (let pass = 0; pass < 50; pass += 1) {
      record(visit(here, now).events);
      const ended = here.notices.flatMap((notice) =>
        notice.channels.flatMap((channel) => {
          if (notice.outcomes[channel]) return [];
          const outcome = post(notice.to, now.atMs / dayMs);
          return outcome === 'later' ? [] : [{ kind: 'notice_ended', notice: notice.id, channel, outcome } as const];
        }),
      );
      if (ended.length === 0) return;
      for (const outcome of ended) record(decide(here, outcome, now).events);
    }
    throw new Error('Nothing comes to an end.');
  }

  return {
    story,
    get world() {
      return here;
    },
    get now() {
      return now;
    },
    /** Changes rows that the core reads but does not own. */
    change(changes: Partial<World>): void {
      here = { ...here, ...changes };
    },
    until(toDay: number): void {
      settle();
      while (now.atMs < toDay * dayMs) {
        const { lookAgainAtMs } = visit(here, now);
        if (lookAgainAtMs <= now.atMs) throw new Error('What is due now is not done now.');
        const nextMs = Math.min(toDay * dayMs, now.atMs + dayMs / 4, lookAgainAtMs);
        now = { atMs: nextMs, healthyMs: now.healthyMs + (nextMs - now.atMs) };
        settle();
      }
      settle();
    },
    /** Outage: the clock advances, nothing happens, and none of it is healthy. */
    outage(days: number): void {
      now = { ...now, atMs: now.atMs + days * dayMs };
    },
    does(command: Command): Refusal | null {
      const { events, refused } = decide(here, command, now);
      const isSignOfLife = command.kind === 'life' || command.kind === 'is_owner';
      if (isSignOfLife) here = { ...here, owner: { ...here.owner, lastActivityMs: now.atMs } };
      record(events);
      settle();
      return refused;
    },
    /** Lines that match, without the mails around them. */
    lines: (pattern: RegExp) => story.filter((line) => pattern.test(line)),
  };
}
