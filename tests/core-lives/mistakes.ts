import type { Command, Decision, Event } from '#server/features/release-core/events.rules.ts';
import type { Letter, Mark, Request, WaitingLetter, World } from '#server/features/release-core/model.rules.ts';
import type { Core } from './world.ts';

/** A core with one mistake in it. */
export type Mistake = { name: string; put: (core: Core) => Core };

const hour = 3_600_000;

/** The core decides on a world that isn't so. */
export function believing(change: (world: World, now: Mark) => World): Mistake['put'] {
  return (core) => ({
    ...core,
    decide: (world, command, now) => core.decide(change(world, now), command, now),
    visit: (world, now) => core.visit(change(world, now), now),
  });
}
export function ownerIs(change: (owner: World['owner']) => Partial<World['owner']>): Mistake['put'] {
  return believing((world) => ({ ...world, owner: { ...world.owner, ...change(world.owner) } }));
}
/** Nothing comes of such a command. */
export function deafTo(isDeaf: (command: Command) => boolean): Mistake['put'] {
  const nothing: Decision = { events: [], refused: null };
  return (core) => ({
    ...core,
    decide: (world, command, now) => (isDeaf(command) ? nothing : core.decide(world, command, now)),
  });
}
export function changing(change: (events: readonly Event[], world: World) => readonly Event[]): Mistake['put'] {
  return (core) => ({
    ...core,
    decide: (world, command, now) => {
      const decision = core.decide(world, command, now);
      return { ...decision, events: change(decision.events, world) };
    },
    visit: (world, now) => {
      const visit = core.visit(world, now);
      return { ...visit, events: change(visit.events, world) };
    },
  });
}
function without(...kinds: Event['kind'][]): Mistake['put'] {
  return changing((events) => events.filter(({ kind }) => !kinds.includes(kind)));
}

/** A request whose answer time has never stopped. */
export function withoutStop(world: World): World {
  return { ...world, request: world.request && { ...world.request, answerTime: null } };
}

/** A request in which each contact who said that the owner is alive said a plain no. */
function withoutAlive(request: Request): Request {
  const answers = request.answers.map((answer) =>
    answer.says === 'alive' ? { ...answer, says: 'no' as const } : answer,
  );
  return { ...request, answers };
}

/** The judge has to find each of them. */
export const mistakes: readonly Mistake[] = [
  {
    name: 'windows run through outages',
    put: (core) => {
      const wall = ({ atMs }: Mark) => ({ atMs, healthyMs: atMs });
      return {
        ...core,
        decide: (world, command, now) => core.decide(world, command, wall(now)),
        visit: (world, now) => core.visit(world, wall(now)),
        evolve: (world, events, at) => core.evolve(world, events, wall(at)),
      };
    },
  },
  {
    name: 'a reminder counts when it is queued',
    put: (core) => ({
      ...core,
      evolve: (world, events, at) => {
        const next = core.evolve(world, events, at);
        const queued = new Set(
          events.flatMap((event) =>
            event.kind === 'first_reminder_written' || event.kind === 'last_reminder_written' ? [event.notice] : [],
          ),
        );
        if (queued.size === 0) return next;
        return {
          ...next,
          notices: next.notices.map((notice) =>
            queued.has(notice.id) ? { ...notice, outcomes: { email: { kind: 'accepted', at } } } : notice,
          ),
        };
      },
    }),
  },
  { name: 'the answer time runs on while a reminder bounced', put: believing(withoutStop) },
  {
    name: 'nobody hears that the delivery is later than they were told',
    put: changing((events) => events.filter((event) => !('topic' in event) || event.topic !== 'delayed')),
  },
  { name: 'a bounce is not heard', put: deafTo(({ kind }) => kind === 'notice_bounced') },
  {
    name: 'frozen is forgotten',
    put: believing((world) => ({ ...world, stops: { ...world.stops, isFrozen: false } })),
  },
  {
    name: 'the breaker is forgotten',
    put: believing((world) => ({ ...world, stops: { ...world.stops, isSilenceStopped: false } })),
  },
  { name: 'a no is not heard', put: deafTo((command) => command.kind === 'answer' && command.says === 'no') },
  {
    name: '“alive, but can’t answer” is not heard',
    put: deafTo((command) => command.kind === 'answer' && command.says === 'alive'),
  },
  {
    name: 'a contact who said “alive” is never asked for news',
    put: believing((world) => ({ ...world, request: world.request && withoutAlive(world.request) })),
  },
  {
    name: 'a repeated “alive” is told to no one',
    put: changing((events) => events.filter((event) => !('topic' in event) || event.topic !== 'alive_again')),
  },
  { name: 'a yes that is taken back counts on', put: deafTo(({ kind }) => kind === 'take_back') },
  {
    name: 'the yes of somebody who left counts on',
    put: (core) => {
      const gone = new Map<string, World['contacts'][number]>();
      const withGone = (world: World) => ({
        ...world,
        contacts: [
          ...world.contacts,
          ...[...gone.values()].filter(({ id }) => !world.contacts.some((contact) => contact.id === id)),
        ],
      });
      let known: World['contacts'] = [];
      return {
        ...core,
        decide: (world, command, now) => {
          if (world.nextNotice === 1) gone.clear();
          if (command.kind === 'left') {
            for (const contact of known) if (contact.id === command.contactId) gone.set(contact.id, contact);
            return { events: [], refused: null };
          }
          known = world.contacts;
          return core.decide(withGone(world), command, now);
        },
        visit: (world, now) => {
          if (world.nextNotice === 1) gone.clear();
          known = world.contacts;
          return core.visit(withGone(world), now);
        },
      };
    },
  },
  {
    name: 'somebody who has just become a contact can ask',
    put: believing((world, now) => ({
      ...world,
      contacts: world.contacts.map((contact) => ({
        ...contact,
        confirmed: {
          ...contact.confirmed,
          healthyMs: Math.min(contact.confirmed.healthyMs, now.healthyMs - 4 * 24 * hour),
        },
      })),
    })),
  },
  { name: 'one person is always enough', put: ownerIs(() => ({ quorum: 1 })) },
  {
    name: 'what people were told is forgotten where a silence takes a request over',
    put: changing((events, world) =>
      events.map((event) =>
        event.kind === 'request_taken_over'
          ? {
              ...event,
              terms: { ...event.terms, answerDays: world.owner.answerDays, waitingDays: world.owner.waitingDays },
            }
          : event,
      ),
    ),
  },
  {
    name: 'the day of which contacts alone were told is forgotten where a silence takes a request over',
    put: changing((events) =>
      events.map((event) => (event.kind === 'request_taken_over' ? { ...event, toldFrom: null } : event)),
    ),
  },
  {
    name: 'a day of waiting is missing',
    put: ownerIs(({ waitingDays }) => ({ waitingDays: Math.max(0, waitingDays - 1) })),
  },
  {
    name: 'a day to answer is missing',
    put: ownerIs(({ answerDays }) => ({ answerDays: Math.max(0, answerDays - 1) })),
  },
  {
    name: 'a day of silence is missing',
    put: ownerIs(({ inactivityDays }) => ({ inactivityDays: inactivityDays - 1 })),
  },
  { name: 'a sign of life is not heard', put: deafTo(({ kind }) => kind === 'life') },
  { name: 'a journey is forgotten', put: ownerIs(() => ({ awayUntilMs: null })) },
  { name: 'method trusted_contact goes by silence', put: ownerIs(() => ({ method: 'inactivity' as const })) },
  {
    name: 'nobody hears that nothing was sent',
    put: changing((events) =>
      events.filter((event) => event.kind !== 'contact_told' || event.topic !== 'nothing_was_sent'),
    ),
  },
  { name: 'earlier requests are forgotten', put: believing((world) => ({ ...world, past: [] })) },
  {
    name: 'the core looks again too late',
    put: (core) => ({
      ...core,
      visit: (world, now) => {
        const visit = core.visit(world, now);
        return { ...visit, lookAgainAtMs: visit.lookAgainAtMs + 20 * hour };
      },
    }),
  },
  { name: 'a sign-in after delivery stops nothing', put: deafTo(({ kind }) => kind === 'signed_in') },
  {
    name: 'a reminder in vain counts as one that arrived',
    put: (core) => ({
      ...core,
      decide: (world, command, now) =>
        core.decide(world, command.kind === 'notice_ended' ? { ...command, outcome: 'accepted' } : command, now),
    }),
  },
  {
    name: 'a pause is ten days shorter',
    put: (core) => ({
      ...core,
      evolve: (world, events, at) => {
        const next = core.evolve(world, events, at);
        const { request } = next;
        if (request?.phase.name !== 'paused' || request.phase.pause.days <= 20) return next;
        return {
          ...next,
          request: { ...request, phase: { ...request.phase, pause: { ...request.phase.pause, days: 20 } } },
        };
      },
    }),
  },
  { name: 'the deletion of the account is not heard', put: deafTo(({ kind }) => kind === 'close') },
  { name: 'the last reminder is never written', put: without('last_reminder_written') },
  {
    name: 'a letter that is no longer ready is sent',
    put: changing((events) =>
      events.map((event) => (event.kind === 'released' ? { ...event, letters: [...event.letters, 'draft'] } : event)),
    ),
  },
  { name: 'after a restore requests go on', put: deafTo(({ kind }) => kind === 'begin_anew') },
  { name: 'days of letters are forgotten', put: believing((world) => ({ ...world, ownDays: new Map() })) },
  {
    name: 'a letter leaves on the day before its own',
    put: believing((world) => {
      const early = <Each extends Letter | WaitingLetter>(letter: Each): Each =>
        letter.state === 'later' ? { ...letter, dueAtMs: letter.dueAtMs - 24 * hour } : letter;
      const { release } = world;
      return {
        ...world,
        waitingLetters: world.waitingLetters.map(early),
        release: release && { ...release, letters: release.letters.map(early) },
      };
    }),
  },
  {
    name: 'a reader who wants no more letters gets one',
    put: believing((world) => {
      const coming = <Each extends Letter>(letter: Each): Each =>
        letter.state === 'later' ? ({ id: letter.id, state: 'later', dueAtMs: letter.dueAtMs } as Each) : letter;
      const { release } = world;
      return {
        ...world,
        waitingLetters: world.waitingLetters.map(coming),
        release: release && { ...release, letters: release.letters.map(coming) },
      };
    }),
  },
  {
    name: 'a letter that waits is not waited for',
    put: without('letters_due'),
  },
  {
    name: 'after a restore only what was on its way is held',
    put: changing((events, world) =>
      world.release?.letters.some(({ state }) => state === 'waiting')
        ? events
        : events.filter(({ kind }) => kind !== 'letters_held'),
    ),
  },
  {
    name: 'what an owner leaves as it is is forgotten',
    put: (core) => ({
      ...core,
      evolve: (world, events, at) => {
        const isLeft = events.some((event) => event.kind === 'release_closed' && !event.takesBack);
        const next = core.evolve(world, events, at);
        return isLeft ? { ...next, waitingLetters: world.waitingLetters } : next;
      },
    }),
  },
  {
    name: 'the forecast is a day off',
    put: (core) => ({
      ...core,
      forecast: (world, now) => core.forecast(world, now).map((seen) => ({ ...seen, atMs: seen.atMs + 24 * hour })),
    }),
  },
];
