import { type Lots, lotsOf } from './lots.ts';

/** A contact's answers to the questions that reached them, in order. */
export type Reply = {
  says: 'yes' | 'no' | 'alive' | 'nothing' | 'did_not_ask';
  afterHours: number;
  /** They press again, the other way or the same. */
  again?: { says: 'yes' | 'no' | 'alive' | 'take_back'; afterHours: number };
};

/** Action of a person, or event of the mail service or the machine. `who` is a contact's number, -1 the owner. */
export type Act = {
  atHours: number;
  does: Deed;
  who?: number;
  /** Duration in hours. */
  hours?: number;
  value?: number;
};
export type Deed =
  | 'life'
  | 'stop'
  | 'sign_in'
  | 'is_owner_take_back'
  | 'is_owner_leave'
  | 'is_not_owner'
  | 'away'
  | 'emergency'
  | 'trustee'
  | 'yes'
  | 'no'
  | 'alive'
  | 'take_back'
  | 'did_not_ask'
  | 'leave'
  | 'join'
  | 'outage'
  | 'mail_down'
  | 'trouble'
  | 'closed'
  | 'text_fails'
  | 'bounce'
  | 'freeze'
  | 'breaker'
  | 'restore'
  | 'delete_account'
  | 'write_letter'
  | 'delete_letters'
  | 'letters_fail'
  | 'set_answer_days'
  | 'set_waiting_days'
  | 'set_quorum'
  | 'set_days';

/** One owner's whole life, drawn from a seed and made smaller when it shows a fault. Plain data: it can be printed. */
export type Life = {
  seed: number;
  days: number;
  inactivityDays: number;
  method: 'inactivity' | 'trusted_contact';
  quorum: number;
  answerDays: number;
  waitingDays: number;
  hasPhone: boolean;
  letters: number;
  /** Day of each letter, in writing order: days after the start; if negative, months after the release; 0 for none. */
  ownDays: number[];
  /** Readers who want no more letters from one day on, until another day or permanently. */
  declines: { letter: number; fromDay: number; toDay: number | null }[];
  documents: number;
  contacts: { joinsAfterHours: number; replies: Reply[] }[];
  /** The owner's action after their n-th accepted mail; none after the last. */
  ownerReplies: { on: number; does: Deed; afterHours: number }[];
  acts: Act[];
  /** Day after which no person acts. */
  quietFromDay?: number;
};

const people = ['emergency', 'trustee', 'yes', 'no', 'take_back', 'did_not_ask', 'leave', 'join'] as const;
const weather = ['outage', 'mail_down', 'trouble', 'closed', 'text_fails', 'bounce', 'freeze', 'breaker'] as const;
const ownerDeeds = ['life', 'stop', 'sign_in', 'away', 'is_owner_take_back', 'is_owner_leave', 'is_not_owner'] as const;
const rare = [
  'restore',
  'delete_account',
  'write_letter',
  'delete_letters',
  'letters_fail',
  'set_answer_days',
  'set_waiting_days',
  'set_quorum',
  'set_days',
] as const;

export function lifeOf(seed: number): Life {
  const lots = lotsOf(seed);
  const inactivityDays = lots.chance(0.6) ? lots.pick([90, 180, 365]) : lots.whole(90, 365);
  const contactCount = lots.pick([0, 1, 1, 2, 2, 2, 3, 3, 4]);
  const answerDays = lots.chance(0.5) ? 7 : lots.pick([0, 1, 3, 14, 30]);
  const theme = lots.pick([
    'quiet',
    'answers',
    'answers',
    'early',
    'early',
    'weather',
    'weather',
    'all',
    'all',
  ] as const);
  const wantsYes = lots.next();

  const life: Life = {
    seed,
    days: 0,
    inactivityDays,
    method: lots.chance(0.6) ? 'inactivity' : 'trusted_contact',
    quorum: lots.pick([1, 1, 2, 2, 3]),
    answerDays,
    waitingDays: lots.chance(0.5) ? 3 : lots.pick([0, 1, 7, 14, 30]),
    hasPhone: lots.chance(0.4),
    letters: lots.pick([0, 1, 1, 2, 3]),
    ownDays: [],
    declines: [],
    documents: lots.chance(0.2) ? 1 : 0,
    contacts: [],
    ownerReplies: [],
    acts: [],
  };
  for (let contact = 0; contact < contactCount; contact += 1) {
    const joinsAfterHours = lots.chance(0.8) ? -2400 : lots.whole(0, inactivityDays * 26);
    life.contacts.push({ joinsAfterHours, replies: theme === 'quiet' ? [] : repliesOf(lots, wantsYes) });
  }
  if (theme !== 'quiet' && lots.chance(0.3)) {
    for (let count = lots.whole(1, 2); count > 0; count -= 1) {
      life.ownerReplies.push({
        on: lots.whole(0, 8),
        does: lots.pick(['life', 'stop', 'life', 'sign_in']),
        afterHours: hoursOf(lots),
      });
    }
  }

  // Days at which something is due, so that what happens falls about them.
  const waits = [0, Math.ceil(inactivityDays / 2), inactivityDays - 10, inactivityDays, inactivityDays + answerDays];
  const rounds = lots.whole(1, 3);
  let from = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (let burst = lots.whole(theme === 'quiet' ? 0 : 1, 3); burst > 0; burst -= 1) {
      const anchor = from + lots.pick(waits) * 24 + lots.whole(-48, 24 * lots.pick([1, 3, 10, 35]));
      let at = Math.max(1, anchor);
      for (let count = lots.whole(1, 5); count > 0; count -= 1) {
        life.acts.push(actOf(lots, theme, at, contactCount));
        at += lots.chance(0.4) ? lots.whole(0, 6) : lots.whole(1, 24 * lots.pick([2, 8, 20]));
      }
    }
    const next = from + lots.whole(20, inactivityDays + 60) * 24;
    if (round < rounds - 1) life.acts.push({ atHours: next, does: 'life' });
    from = next;
  }
  sayAlive(life);
  waitForDays(life);
  askShortlyBefore(life);
  life.acts.sort((a, b) => a.atHours - b.atHours);
  const lastHour = life.acts.at(-1)?.atHours ?? 0;
  life.days = Math.ceil(lastHour / 24) + inactivityDays + answerDays + lots.pick([30, 60, 200]);
  return life;
}

/**
 * Some who would say no say that the owner is alive and can't answer, and some of them again and again. Uses its own
 * random numbers.
 */
function sayAlive(life: Life): void {
  const lots = lotsOf(life.seed ^ 0x1d872b41);
  if (lots.chance(0.4)) return;
  for (const { replies } of life.contacts) {
    for (const reply of replies) {
      if (reply.says === 'no' && lots.chance(0.6)) reply.says = 'alive';
      if (reply.again?.says === 'no' && lots.chance(0.6)) reply.again.says = 'alive';
    }
    if (!lots.chance(0.25)) continue;
    const again = Array.from({ length: lots.whole(1, 4) }, () => ({
      says: 'alive' as const,
      afterHours: hoursOf(lots),
    }));
    replies.push(...again);
  }
  for (const act of life.acts) if (act.does === 'no' && lots.chance(0.6)) act.does = 'alive';
}

const ownDaysDrawn = 6;

/**
 * Letters with days of their own, and an owner who returns to a release and leaves it as it is. Uses its own random
 * numbers.
 */
function waitForDays(life: Life): void {
  const lots = lotsOf(life.seed ^ 0x5bd1e995);
  life.ownDays = Array.from({ length: ownDaysDrawn }, () => {
    if (lots.chance(0.65)) return 0;
    return lots.chance(0.7) ? lots.whole(1, life.inactivityDays + 250) : -lots.whole(1, 8);
  });
  const readers = lotsOf(life.seed ^ 0x3c6ef372);
  life.declines = life.ownDays.flatMap((drawn, letter) => {
    if (drawn === 0 || !readers.chance(0.3)) return [];
    const fromDay = readers.whole(1, life.inactivityDays + 250);
    return { letter, fromDay, toDay: readers.chance(0.6) ? fromDay + readers.whole(1, 200) : null };
  });
  if (!lots.chance(0.15)) return;
  const atHours = (life.inactivityDays + life.answerDays + lots.whole(1, 20)) * 24;
  life.acts.push({ atHours, does: 'sign_in' }, { atHours: atHours + 1, does: 'is_owner_leave' });
  if (lots.chance(0.3))
    life.acts.push({ atHours: atHours + lots.whole(24, 2400), does: 'restore', hours: lots.whole(1, 72) });
}

/** An early request ends hours before the silence is over, so one contact may not be asked on that day; with cases of its own. */
function askShortlyBefore(life: Life): void {
  const lots = lotsOf(life.seed ^ 0x2c1b3c6d);
  if (life.contacts.length < 2 || !lots.chance(0.05)) return;
  const who = lots.whole(0, life.contacts.length - 1);
  const atHours = life.inactivityDays * 24 - lots.whole(1, 30);
  life.acts.push({ atHours, does: 'emergency', who });
  life.acts.push({ atHours: atHours + lots.whole(1, 5), does: lots.pick(['no', 'did_not_ask', 'leave']), who });
  if (lots.chance(0.6)) life.answerDays = 0;
}

function hoursOf(lots: Lots): number {
  return lots.chance(0.5) ? lots.whole(0, 30) : lots.whole(0, 24 * lots.pick([4, 12, 40]));
}

function repliesOf(lots: Lots, wantsYes: number): Reply[] {
  const replies: Reply[] = [];
  for (let count = lots.whole(0, 3); count > 0; count -= 1) {
    const drawn = lots.next();
    const says =
      drawn < wantsYes * 0.8
        ? 'yes'
        : drawn < 0.8
          ? lots.pick(['nothing', 'no'] as const)
          : lots.pick(['no', 'yes', 'did_not_ask', 'nothing'] as const);
    const reply: Reply = { says, afterHours: hoursOf(lots) };
    if (lots.chance(0.2)) reply.again = { says: lots.pick(['yes', 'no', 'take_back']), afterHours: hoursOf(lots) };
    replies.push(reply);
  }
  return replies;
}

function actOf(lots: Lots, theme: string, atHours: number, contacts: number): Act {
  const drawn = lots.next();
  const early = theme === 'early' || theme === 'all' ? 0.35 : 0.1;
  const bad = theme === 'weather' || theme === 'all' ? 0.45 : 0.1;
  const who = contacts > 0 ? lots.whole(0, contacts - 1) : -1;
  if (drawn < early && contacts > 0) return { atHours, does: lots.pick(['emergency', 'emergency', 'trustee']), who };
  if (drawn < early + bad) {
    const does = lots.pick(weather);
    const hours = lots.chance(0.5) ? lots.whole(1, 40) : lots.whole(24, 24 * lots.pick([3, 15, 50]));
    return { atHours, does, hours, who: lots.chance(0.6) ? -1 : who };
  }
  if (drawn < 0.93 && contacts > 0) return { atHours, does: lots.pick(people), who };
  if (drawn < 0.97) return { atHours, does: lots.pick(ownerDeeds), value: lots.whole(1, 180) };
  return { atHours, does: lots.pick(rare), hours: lots.whole(1, 72), value: lots.next() };
}

/** The run as a short readable story. */
export function told(life: Life): string {
  const { method, quorum, inactivityDays, answerDays, waitingDays } = life;
  const lines = [
    `D ${inactivityDays}, ${method}, ${quorum} must confirm, answer ${answerDays} d, wait ${waitingDays} d, ${life.letters} letters, days ${life.ownDays.join()}, ${life.documents} documents, ${life.hasPhone ? 'phone' : 'no phone'}, ${life.days} days`,
  ];
  for (const [index, { joinsAfterHours, replies }] of life.contacts.entries()) {
    const answers = replies.map(
      (reply) =>
        `${reply.says}+${reply.afterHours}h${reply.again ? ` then ${reply.again.says}+${reply.again.afterHours}h` : ''}`,
    );
    lines.push(
      `  contact c${index}${joinsAfterHours > 0 ? ` from ${inDays(joinsAfterHours)}` : ''}: ${answers.join(', ') || 'answers nothing'}`,
    );
  }
  for (const { on, does, afterHours } of life.ownerReplies)
    lines.push(`  owner: ${does} ${afterHours} h after mail number ${on}`);
  for (const { atHours, does, who, hours, value } of life.acts) {
    const details = [
      who === undefined ? '' : who < 0 ? 'owner' : `c${who}`,
      hours === undefined ? '' : `${hours} h`,
      value === undefined ? '' : `value ${value}`,
    ];
    lines.push(`  ${inDays(atHours)}: ${does} ${details.filter(Boolean).join(', ')}`);
  }
  return lines.join('\n');
}

function inDays(hours: number): string {
  return `day ${(hours / 24).toFixed(2)}`;
}
