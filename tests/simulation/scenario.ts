import { inactivityDaysMax, inactivityDaysMin } from '#shared/rules/inactivity.ts';
import { type Random, randomOf } from './random.ts';

/** Input of a simulation. One scenario always gives the same run. */
export type Scenario = {
  seed: number;
  owners: number;
  days: number;
  /** Everybody was last seen on the first day, so that they all fall due together. */
  isMassSilence?: boolean;
  /**
   * Mailboxes take nothing: some of owners refuse for now for ever, and some of contacts for weeks. `full`: those of all
   * owners, as of people who have died.
   */
  mailboxes?: 'some' | 'full';
  /** Optional events; default: all. Each has its own random numbers, so that the rest of a scenario stays equal. */
  also?: readonly Happening[];
  /** The operator stops everything a few times just as something is queued that carries a release on. */
  hasBrakes?: boolean;
  /** Names of owners (`o3`), of what people do (`o3.2`) and of faults (`f1`) that are left out; found by shrinking. */
  without?: readonly string[];
  /** Kinds of trouble that are left out. */
  calm?: readonly Trouble[];
};

/** Events in addition to the basic ones of every run. */
export const happenings = [
  /** Contacts take a yes back, or say that it was not they who asked. */
  'second thoughts',
  /** The operator stops single owners. */
  'freezes by name',
  /** Owners are away until a day. */
  'journeys',
  /** A stranger knows an owner's password; and returning owners leave delivered letters as they are. */
  'strangers',
  /** Mailboxes of people refuse us by policy, for weeks or for ever. */
  'policy refusals',
  /** Mails come back after they were taken. */
  'bounces',
  /** Reminders and questions are answered by email. */
  'email replies',
  /** Mail servers take minutes to answer. */
  'slow servers',
  /** Owners answer texts. */
  'text replies',
  /** Owners delete their account, and some take that back. */
  'deletions',
  /** Mailboxes of recipients are closed, and contacts know another address. */
  'new addresses',
  /** Several letters are for one person. */
  'letters together',
  /** Plans lapse. */
  'lapses',
  /** The database is lost, and a backup takes its place. */
  'restores',
] as const;
export type Happening = (typeof happenings)[number];

export const happens = ({ also = happenings }: Pick<Scenario, 'also'>, what: Happening): boolean => also.includes(what);

export type Trouble = 'crashes' | 'company' | 'duplicates' | 'faults' | 'clock';

export type OwnerPlan = {
  name: string;
  number: number;
  settings: {
    releaseMethod: 'inactivity' | 'trusted_contact';
    inactivityDays: number;
    releaseQuorum: number;
    releaseWaitingDays: number;
    releaseAnswerDays: number | null;
    checkinIntervalDays: number;
  };
  phone: string | null;
  letters: number;
  contacts: readonly ContactPlan[];
  /** From this day on their mailbox refuses everything permanently. */
  mailboxClosedDay: number | null;
  /** From this day on it refuses everything for now, for ever. */
  mailboxFullDay: number | null;
  /** Period in which it refuses us by policy. */
  refusal: MailboxTrouble | null;
  /** Probability that they answer a reminder. */
  attention: number;
  acts: readonly Act[];
};

export type ContactPlan = {
  name: string;
  email: string;
  phone: string | null;
  temper: Temper;
  mailbox: MailboxTrouble | null;
};
/** Answer of a mailbox for some weeks or permanently: full, closed, or refusing us by policy. */
export type MailboxTrouble = { fromDay: number; untilDay: number; answer: 'full' | 'never' | 'policy' };
/** Answer of a contact to a question; `torn` changes their mind from time to time. */
export type Temper = 'confirms' | 'cancels' | 'vanishes' | 'torn';

export type ActKind =
  | 'check in'
  | 'sign in'
  | 'stop'
  | 'write'
  | 'change'
  | 'delete'
  | 'ready'
  | 'settings'
  | 'preferences'
  | 'add contact'
  | 'remove contact'
  | 'switch contact'
  | 'emergency'
  | 'trustee'
  | 'go away'
  | 'come home'
  | 'stranger'
  | 'delete account'
  | 'restore account';
export type Act = { name: string; day: number; kind: ActKind; lot: number };

export type Fault = { name: string; day: number; days: number } & (
  | { kind: 'outage'; isAsleep: boolean }
  | { kind: 'post'; how: 'later' | 'never' | 'silence' | 'lost' }
  | { kind: 'clock'; jumpDays: number }
  | { kind: 'freeze' }
  /** For one owner: the operator freezes them by name, or their plan lapses. */
  | { kind: 'freeze owner' | 'lapse'; owner: string }
  /** A backup of that day takes the place of the database some days later. */
  | { kind: 'restore' }
);

const aliveActs: readonly [ActKind, ...ActKind[]] = [
  'check in',
  'check in',
  'check in',
  'sign in',
  'stop',
  'write',
  'write',
  'change',
  'delete',
  'ready',
  'settings',
  'preferences',
  'add contact',
  'remove contact',
  'switch contact',
];
const tempers: readonly [Temper, ...Temper[]] = ['confirms', 'confirms', 'cancels', 'vanishes', 'vanishes', 'torn'];

export function ownersOf(scenario: Scenario): OwnerPlan[] {
  const { owners, without = [] } = scenario;
  return Array.from({ length: owners }, (_, number) => ownerPlan(scenario, number))
    .map((owner) => ({ ...owner, acts: [...owner.acts, ...actsBesides(scenario, owner)] }))
    .filter(({ name }) => !without.includes(name))
    .map((owner) => ({ ...owner, acts: owner.acts.filter(({ name }) => !without.includes(name)) }));
}

export function emailOf({ number }: Pick<OwnerPlan, 'number'>): string {
  return `owner.o${number}@people.example`;
}

function ownerPlan(scenario: Scenario, number: number): OwnerPlan {
  const { seed, days, isMassSilence = false, mailboxes } = scenario;
  const random = randomOf(seed, 'owner', number);
  const name = `o${number}`;
  const settings: OwnerPlan['settings'] = {
    releaseMethod: random.chance(isMassSilence ? 1 : 0.65) ? 'inactivity' : 'trusted_contact',
    inactivityDays: isMassSilence ? inactivityDaysMin : inactivityDaysOf(random),
    releaseQuorum: random.pick([1, 1, 1, 2, 3]),
    releaseWaitingDays: random.pick([0, 0, 3, 14, 30]),
    releaseAnswerDays: random.pick([null, null, 0, 7, 30]),
    checkinIntervalDays: random.pick([30, 30, 7, 90]),
  };
  const contacts = Array.from({ length: random.pick([0, 1, 1, 2, 2, 3, 4]) }, (_, index) =>
    contactPlan(random, name, { index, scenario }),
  );
  const letters = 1 + random.below(4);
  const phone = random.chance(0.4) ? `+4477009${String(number).padStart(5, '0')}` : null;
  const mailboxClosedDay = random.chance(0.12) ? random.between(0, days) : null;
  const attention = random.pick([0, 0.1, 0.3, 0.6]);
  const acts = isMassSilence ? [] : lifeOf(random, { name, days, inactivityDays: settings.inactivityDays });
  const fullness = randomOf(seed, 'full mailbox', number);
  const isFull = mailboxes === 'full' || (mailboxes === 'some' && mailboxClosedDay === null && fullness.chance(0.1));
  const mailboxFullDay = isFull ? fullness.between(0, mailboxes === 'full' ? 40 : days) : null;
  const refusal = refusalOf(scenario, randomOf(seed, 'refusals', number));
  const mailbox = { mailboxClosedDay, mailboxFullDay, refusal };
  return { name, number, settings, phone, letters, contacts, ...mailbox, attention, acts };
}

/** For some weeks, or for ever, a mailbox wants nothing from us. */
function refusalOf(scenario: Pick<Scenario, 'also' | 'days'>, random: Random): MailboxTrouble | null {
  if (!happens(scenario, 'policy refusals') || !random.chance(0.2)) return null;
  const { days } = scenario;
  const fromDay = random.between(0, days);
  const untilDay = random.chance(0.3) ? Number.POSITIVE_INFINITY : fromDay + random.between(5, 60);
  return { fromDay, untilDay, answer: 'policy' };
}

/** Optional actions of owners, and actions in their name. */
function actsBesides(scenario: Scenario, { name, number }: OwnerPlan): Act[] {
  const { seed, days } = scenario;
  const kinds: [Happening, ActKind, number, number][] = [
    ['journeys', 'go away', 0.4, 3],
    ['journeys', 'come home', 0.1, 1],
    ['strangers', 'stranger', 0.4, 3],
    ['deletions', 'delete account', 0.2, 1],
    ['deletions', 'restore account', 0.1, 1],
  ];
  return kinds.flatMap(([happening, kind, chance, most]) => {
    const random = randomOf(seed, 'besides', kind, number);
    if (!happens(scenario, happening) || !random.chance(chance)) return [];
    return Array.from({ length: 1 + random.below(most) }, (_, index) => {
      // An account is restored within its thirty days, or it is not.
      const day =
        kind === 'restore account' ? deletionDay(seed, days, number) + random.between(0, 40) : random.between(0, days);
      return { name: `${name}.${kind} ${index}`, day, kind, lot: random.below(1_000) };
    });
  });
}

/** On which day this owner's account would be deleted, as `actsBesides` draws it. */
function deletionDay(seed: number, days: number, number: number): number {
  const random = randomOf(seed, 'besides', 'delete account', number);
  random.chance(1);
  random.below(1);
  return random.between(0, days);
}

type ContactPlace = { index: number; scenario: Scenario };

export function contactPlan(random: Random, owner: string, place: ContactPlace): ContactPlan {
  const { index, scenario } = place;
  const { seed, days, mailboxes } = scenario;
  const refusal = refusalOf(scenario, randomOf(seed, 'refusals of a contact', owner, index));
  const phone = random.chance(0.2) ? `+4478${String(random.below(100_000_000)).padStart(8, '0')}` : null;
  return {
    name: `Contact ${index}`,
    email: `contact${index}.${owner}@friends.example`,
    phone,
    temper: random.pick(tempers),
    mailbox: refusal ?? (mailboxes ? mailboxTrouble(randomOf(seed, 'mailbox of a contact', owner, index), days) : null),
  };
}

/** Weeks in which a mailbox accepts nothing, at about the time of a request; or without an end. */
function mailboxTrouble(random: Random, days: number): MailboxTrouble | null {
  if (!random.chance(0.25)) return null;
  const fromDay = random.between(40, days);
  const untilDay = random.chance(0.2) ? Number.POSITIVE_INFINITY : fromDay + random.between(5, 70);
  return { fromDay, untilDay, answer: random.pick(['full', 'never']) };
}

/** True if the mailbox that a letter is for takes nothing any more. */
export function isMailboxClosed(scenario: Scenario, recipient: string): boolean {
  const random = randomOf(scenario.seed, 'mailbox of a recipient', recipient);
  return happens(scenario, 'new addresses') && random.chance(0.25);
}

function inactivityDaysOf(random: Random): number {
  return random.pick([90, 90, 90, 180, inactivityDaysMin + random.below(inactivityDaysMax - inactivityDaysMin + 1)]);
}

/** Times of living, and of silence that ends near the edge of something, or never. */
function lifeOf(random: Random, owner: { name: string; days: number; inactivityDays: number }): Act[] {
  const { name, days, inactivityDays } = owner;
  const acts: Omit<Act, 'name'>[] = [];
  for (let day = random.between(0, 40); day < days; ) {
    const awakeUntil = day + random.between(0, 120);
    while (day < Math.min(days, awakeUntil)) {
      acts.push({ day, kind: random.pick(aliveActs), lot: random.below(1_000) });
      day += random.between(0.2, 50);
    }
    const edge = random.pick([
      inactivityDays / 2,
      inactivityDays - 10,
      inactivityDays,
      inactivityDays + 7,
      inactivityDays + 37,
    ]);
    const silence = random.chance(0.25) ? days : edge + random.between(-0.6, random.pick([0.6, 10, 40]));
    const others = random.chance(0.4) ? 1 + random.below(3) : 0;
    for (let other = 0; other < others; other += 1) {
      const when = day + random.next() * Math.min(silence, inactivityDays + 60);
      acts.push({ day: when, kind: random.pick(['emergency', 'trustee']), lot: random.below(1_000) });
    }
    day += silence;
  }
  return acts
    .filter((act) => act.day < days)
    .sort((one, other) => one.day - other.day)
    .map((act, index) => ({ ...act, name: `${name}.${index}` }));
}

export function faultsOf(scenario: Scenario): Fault[] {
  const { without = [], calm = [] } = scenario;
  return [...drawnFaults(scenario), ...faultsBesides(scenario)].filter(
    ({ name, kind }) => !without.includes(name) && !(kind === 'clock' && calm.includes('clock')),
  );
}

function drawnFaults({ seed, days, calm = [] }: Scenario): Fault[] {
  if (calm.includes('faults')) return [];
  const random = randomOf(seed, 'faults');
  const faults: Fault[] = [];
  for (let day = random.between(10, 60); day < days; day += random.between(15, 90)) {
    faults.push(faultOn(random, day, `f${faults.length}`));
  }
  return faults;
}

/** Optional faults of single owners, or of all in parallel. */
function faultsBesides(scenario: Scenario): Fault[] {
  const { seed, owners, days } = scenario;
  const faults: Fault[] = [];
  for (let number = 0; number < owners; number += 1) {
    const random = randomOf(seed, 'faults besides', number);
    const owner = `o${number}`;
    const [isFrozen, hasLapsed] = [random.chance(0.3), random.chance(0.3)];
    const [day, lasting, lapse] = [random.between(0, days), random.between(0.5, 40), random.between(0, days)];
    if (happens(scenario, 'freezes by name') && isFrozen)
      faults.push({ name: `${owner} frozen`, day, days: lasting, kind: 'freeze owner', owner });
    if (happens(scenario, 'lapses') && hasLapsed)
      faults.push({ name: `${owner} lapsed`, day: lapse, days: 0, kind: 'lapse', owner });
  }
  const random = randomOf(seed, 'restores');
  if (happens(scenario, 'restores')) {
    const day = random.between(days * 0.3, days * 0.8);
    faults.push({ name: 'restore', day, days: random.between(0.1, 12), kind: 'restore' });
  }
  return faults;
}

function faultOn(random: Random, day: number, name: string): Fault {
  const short = random.between(0.01, 1.5);
  const lasting = random.pick([short, random.between(1, 9), random.between(10, 45)]);
  switch (random.pick(['outage', 'outage', 'post', 'post', 'clock', 'freeze'])) {
    case 'outage':
      return { name, day, days: lasting, kind: 'outage', isAsleep: random.chance(0.3) };
    case 'post':
      return { name, day, days: lasting, kind: 'post', how: random.pick(['later', 'never', 'silence', 'lost']) };
    case 'clock':
      return { name, day, days: lasting, kind: 'clock', jumpDays: random.between(-3, 40) };
    default:
      return { name, day, days: Math.min(5, lasting), kind: 'freeze' };
  }
}
