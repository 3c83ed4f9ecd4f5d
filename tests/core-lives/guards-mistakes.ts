import type { Notice, Request, World } from '#server/features/release-core/model.rules.ts';
import { believing, changing, deafTo, type Mistake, mistakes, ownerIs } from './mistakes.ts';

/** A mistake with the guard's message at the harmful step. */
export type GuardsMistake = Mistake & { forbidden: string };

const notSilent = 'no release by inactivity without both reminders and their gaps';
const notTold = "the owner's waiting period is not over";

/** Mistakes of the judge whose harmful step the guard knows too. */
const shared: readonly (readonly [name: string, forbidden: string])[] = [
  ['frozen is forgotten', 'frozen means no forward step'],
  ['the breaker is forgotten', 'a step that the breaker has stopped does not continue'],
  ['method trusted_contact goes by silence', 'method trusted_contact never releases without its people'],
  ['a day of silence is missing', 'the silence was not over, so the owner is told first'],
  ['a journey is forgotten', notSilent],
  ['a day to answer is missing', 'the time to answer is not over'],
  [
    'the answer time runs on while a reminder bounced',
    'the answer time stands still until the reminder was accepted again',
  ],
  ['a reader who wants no more letters gets one', 'a reader who wants no more letters gets none'],
];

function mistakeNamed(name: string): Mistake {
  const found = mistakes.find((mistake) => mistake.name === name);
  if (!found) throw new Error(`No mistake is called "${name}".`);
  return found;
}

function requestIs(change: (request: Request) => Request): Mistake['put'] {
  return believing((world) => ({ ...world, request: world.request && change(world.request) }));
}

/** The core takes mails of these topics for accepted as soon as they are written. */
function takenWhenWritten(...topics: Notice['topic'][]): Mistake['put'] {
  return believing((world) => ({
    ...world,
    notices: world.notices.map((notice) =>
      topics.includes(notice.topic)
        ? { ...notice, outcomes: { email: { kind: 'accepted', at: notice.written } } }
        : notice,
    ),
  }));
}

/** An owner whose last activity was before any contact was asked. */
function neverBack(world: World): World {
  const openedMs = world.request?.opened.atMs ?? Number.POSITIVE_INFINITY;
  const lastActivityMs = Math.min(world.owner.lastActivityMs, openedMs - 1);
  return { ...world, owner: { ...world.owner, lastActivityMs } };
}

function withoutNoes(world: World): World {
  const { request } = world;
  if (!request) return world;
  return { ...world, request: { ...request, answers: request.answers.filter(({ says }) => says === 'yes') } };
}

/** Mistakes whose harm the guard alone must catch, as in production without a judge. */
export const guardsMistakes: readonly GuardsMistake[] = [
  ...shared.map(([name, forbidden]) => ({ ...mistakeNamed(name), forbidden })),
  {
    name: 'a pause is overlooked',
    put: requestIs((request) =>
      request.phase.name === 'paused'
        ? { ...request, phase: { name: 'asking', began: request.phase.pause.from } }
        : request,
    ),
    forbidden: 'a first no before dispatch wins every race',
  },
  {
    name: 'a later no is overlooked',
    put: (core) => ({ ...core, visit: (world, now) => core.visit(withoutNoes(world), now) }),
    forbidden: 'a no holds for 30 days',
  },
  {
    name: 'an early request goes on after a no',
    put: changing((events) => events.filter((event) => event.kind !== 'request_ended' || event.why !== 'no')),
    forbidden: 'any no ends an early request',
  },
  {
    name: 'reminders count when they are written',
    put: takenWhenWritten('first_reminder', 'last_reminder'),
    forbidden: 'the silence was not over, so the owner is told first',
  },
  { name: 'a wait counts from when its notice is written', put: takenWhenWritten('wait'), forbidden: notTold },
  {
    name: 'a wait is a day shorter than the owner was told',
    put: requestIs((request) =>
      request.phase.name === 'holding'
        ? { ...request, phase: { ...request.phase, days: Math.max(0, request.phase.days - 1) } }
        : request,
    ),
    forbidden: notTold,
  },
  {
    name: 'a silence forgets the day of which contacts alone were told',
    put: changing((events) =>
      events.map((event) => (event.kind === 'request_taken_over' ? { ...event, toldFrom: null } : event)),
    ),
    forbidden: 'a wait that contacts were told of is not shortened',
  },
  {
    name: 'people are enough without a wait',
    put: changing((events) =>
      events.flatMap((event) =>
        event.kind === 'wait_began' ? [{ kind: 'released' as const, letters: ['l0'], later: [] }] : [event],
      ),
    ),
    forbidden: 'an early release waits first',
  },
  {
    name: 'a sign of life is noted, and not minded',
    put: (core) => deafTo(({ kind }) => kind === 'life')(believing(neverBack)(core)),
    forbidden: 'nothing is delivered after activity since it opened',
  },
  {
    name: 'something is released where nothing is ready',
    put: believing((world) => ({
      ...world,
      readyLetters: world.readyLetters.length > 0 ? world.readyLetters : ['none'],
    })),
    forbidden: 'there is nothing to release',
  },
  {
    name: 'a bounce is noted, and not minded',
    put: believing((world) => ({
      ...world,
      notices: world.notices.map((notice) => ({
        ...notice,
        outcomes: Object.fromEntries(
          Object.entries(notice.outcomes).map(([channel, { kind, at }]) => [channel, { kind, at }]),
        ),
      })),
    })),
    forbidden: notSilent,
  },
  {
    name: 'the answer time is a day shorter than anybody was told',
    put: (core) => {
      const shorter = ownerIs(({ answerDays }) => ({ answerDays: Math.max(0, answerDays - 1) }))(core);
      const shorterTerms = requestIs((request) => ({
        ...request,
        terms: { ...request.terms, answerDays: Math.max(0, request.terms.answerDays - 1) },
      }));
      return shorterTerms(shorter);
    },
    forbidden: 'the time to answer is not over',
  },
];
