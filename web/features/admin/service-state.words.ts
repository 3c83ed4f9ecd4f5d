import type { AdminState } from '#shared/contract/admin-state.ts';
import { givenUpDays } from '#shared/contract/admin-state.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { counted, dateAndTime, longDate } from '#web/lib/format.ts';

/** One thing that was looked at: how it is in a word or two, and in a plain sentence. */
export type Vital = {
  name: string;
  isWell: boolean;
  /** Nothing is wrong, and nothing was found to be right either. */
  isOpen?: boolean;
  how: string;
  sentence: string;
};

const momentMs = 5_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `just now`, `40 seconds ago`, `5 minutes ago`, `3 hours ago`, then the date. */
export function ago(moment: string | Date, at: string | Date): string {
  const ms = Math.max(0, new Date(at).getTime() - new Date(moment).getTime());
  if (ms < momentMs) return 'just now';
  if (ms < minuteMs) return `${counted(Math.floor(ms / 1_000), 'second')} ago`;
  if (ms < hourMs) return `${counted(Math.floor(ms / minuteMs), 'minute')} ago`;
  if (ms < dayMs) return `${counted(Math.floor(ms / hourMs), 'hour')} ago`;
  return `on ${dateAndTime(moment)}`;
}

/** All that is looked at, in the order in which an operator wants to know it. */
export function vitalsOf(state: AdminState): Vital[] {
  return [
    workerOf(state),
    siteOf(state),
    mailOf(state),
    textsOf(state),
    ...webhookOf(state),
    releasesOf(state),
    clockOf(state),
    sealsOf(state),
    backupOf(state),
    logOf(state),
  ];
}

/** One summary: the names of all troubles, or that all is well. */
export function summaryOf(state: AdminState): { words: string; isWell: boolean } {
  const names = vitalsOf(state).flatMap(({ name, isWell }) => (isWell ? [] : [name.toLowerCase()]));
  if (names.length === 0) return { words: 'Everything is running.', isWell: true };
  const [last = '', ...others] = names.toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
  return { words: `Please look at: ${list}.`, isWell: false };
}

function workerOf({ worker, at, alerts }: AdminState): Vital {
  const { state, lastBeatAt } = worker;
  const name = 'Worker';
  if (lastBeatAt === null || state === 'never') {
    return { name, isWell: false, how: 'None yet', sentence: 'No worker has run here yet, so nothing is sent.' };
  }
  const heard = `It last reported ${ago(lastBeatAt, at)}.`;
  return state === 'runs'
    ? { name, isWell: true, how: 'Running', sentence: heard }
    : {
        name,
        isWell: false,
        how: 'Stopped',
        sentence: `${heard} Nothing is sent until one runs. ${toldOf(alerts, 'worker')}`,
      };
}

function siteOf({ site, at, alerts }: AdminState): Vital {
  const { state, address, answeredAt, silentSince, reason } = site;
  const name = 'Site';
  if (state === 'answers' && answeredAt) {
    return { name, isWell: true, how: 'Answers', sentence: `A worker last reached ${address} ${ago(answeredAt, at)}.` };
  }
  if (state === 'silent' && silentSince) {
    const why = reason === null ? '' : ` (${reason})`;
    return {
      name,
      isWell: false,
      how: 'No answer',
      sentence: `No worker reaches ${address} since ${dateAndTime(silentSince)}${why}. ${toldOf(alerts, 'site')}`,
    };
  }
  const sentence = answeredAt
    ? `No worker has asked ${address} lately; it last answered ${ago(answeredAt, at)}.`
    : `No worker has reached ${address} yet, so you would not be emailed if it stopped.`;
  return { name, isWell: true, isOpen: true, how: 'Not known', sentence };
}

function backupOf({ backup, at, alerts }: AdminState): Vital {
  const name = 'Backup';
  const { isSetUp, madeAt, sizeBytes, failingSince, reason, isLate, practisedAt, lettersOpened } = backup;
  if (!isSetUp) {
    const sentence = 'BACKUP_TO is not set, so backups are only made by hand.';
    return { name, isWell: true, isOpen: true, how: 'Not set up', sentence };
  }
  const size = sizeBytes === null ? '' : `, ${fileSize(sizeBytes)}`;
  const read = practisedAt
    ? ` One was read back ${ago(practisedAt, at)}, and opened ${counted(lettersOpened ?? 0, 'letter')}.`
    : '';
  const last = madeAt ? `The last was made ${ago(madeAt, at)}${size}.${read}` : 'There is none yet.';
  if (failingSince) {
    const why = reason === null ? '' : ` (${reason})`;
    const sentence = `This has failed since ${dateAndTime(failingSince)}${why}. ${last} ${toldOf(alerts, 'backups')}`;
    return { name, isWell: false, how: 'Failing', sentence };
  }
  if (isLate) return { name, isWell: false, how: 'Late', sentence: `${last} ${toldOf(alerts, 'backups')}` };
  return madeAt
    ? { name, isWell: true, how: 'Every night', sentence: last }
    : { name, isWell: true, isOpen: true, how: 'None yet', sentence: `${last} A worker makes one within minutes.` };
}

/** Notification state of the operator. */
function toldOf(alerts: AdminState['alerts'], trouble: AdminState['alerts'][number]['trouble']): string {
  const alert = alerts.find((each) => each.trouble === trouble);
  if (!alert) return 'You are emailed if it goes on.';
  return alert.toldAt ? `You were emailed on ${dateAndTime(alert.toldAt)}.` : 'The email to you was not accepted yet.';
}

function mailOf({ mail, at, isOperatorSet }: AdminState): Vital {
  const name = 'Mail';
  const sentence = postSentence(mail, 'email', at);
  if (mail.troubledSince) {
    const since = dateAndTime(mail.troubledSince);
    return { name, isWell: false, how: 'Stuck', sentence: `None was accepted since ${since}. ${sentence}` };
  }
  if (!mail.isSetUp) {
    return {
      name,
      isWell: true,
      isOpen: true,
      how: 'Stays here',
      sentence: `No mail server is set: it is shown at /outbox. ${sentence}`,
    };
  }
  if (!isOperatorSet) {
    const missing = 'ADMIN_EMAIL is not set, so no one is emailed when something stops.';
    return { name, isWell: false, how: 'You are not emailed', sentence: `${missing} ${sentence}` };
  }
  if (mail.refusedBy.length > 0) {
    return { name, isWell: false, how: 'Refused', sentence: `${refusedWords(mail.refusedBy)} ${sentence}` };
  }
  return postVital(name, mail, sentence);
}

/** Domains and counts, as the mail to the operator names them. */
function refusedWords(refusedBy: AdminState['mail']['refusedBy']): string {
  const domains = refusedBy.map(({ domain, mails, isMassRefusal }) => {
    const closed = isMassRefusal ? ', so many mailboxes at once that none counts as closed' : '';
    return `${domain ?? 'a domain no longer stored'} (${counted(mails, 'email')}${closed})`;
  });
  return `Refused in the last 24 hours, for reasons that are not about one mailbox: ${domains.join('; ')}.`;
}

function textsOf({ texts, at }: AdminState): Vital {
  const name = 'Texts';
  const sentence = postSentence(texts, 'text', at);
  if (texts.isSetUp) return postVital(name, texts, sentence);
  return { name, isWell: true, isOpen: true, how: 'Not set up', sentence: 'No provider is set, so no text leaves.' };
}

/** Nothing if no webhook is set: few operators have one. */
function webhookOf({ webhook, at }: AdminState): Vital[] {
  return webhook.isSetUp ? [postVital('Webhook', webhook, postSentence(webhook, 'event', at))] : [];
}

type Post = AdminState['texts'];

function postVital(name: string, { failing, givenUp }: Post, sentence: string): Vital {
  if (failing > 0) return { name, isWell: false, how: `${failing} failing`, sentence };
  if (givenUp > 0) return { name, isWell: false, how: `${givenUp} given up`, sentence };
  return { name, isWell: true, how: 'Going out', sentence };
}

function postSentence({ waiting, failing, oldestDueAt, accepted, givenUp }: Post, noun: string, at: AdminState['at']) {
  const sent = `${counted(accepted, noun)} accepted in the last 24 hours`;
  const tried = failing > 0 ? `, ${failing} of them failing so far` : '';
  const oldest = oldestDueAt ? `; the oldest was due ${ago(oldestDueAt, at)}` : '';
  const waits = waiting > 0 ? `${waiting} waiting${tried}${oldest}` : 'none waiting';
  const lost = givenUp > 0 ? `; ${givenUp} given up in the last ${givenUpDays} days` : '';
  return `${sent}, ${waits}${lost}.`;
}

function releasesOf({ releases }: AdminState): Vital {
  const name = 'Releases';
  const { open, frozen, silenceStoppedAt, frozenOwners, heldMailboxes, earlyReviews } = releases;
  const owners = open.reduce((sum, each) => sum + each.owners, 0);
  const letGo = 'Run everkept release resume after your check.';
  if (frozen) {
    const since = dateAndTime(frozen.since);
    const whose =
      frozen.by === 'restore' ? 'since the database was restored from a backup' : `by the operator: ${frozen.reason}`;
    const sentence = `All are stopped since ${since}, ${whose.replace(/\.$/, '')}. ${letGo}`;
    return { name, isWell: false, how: 'Stopped', sentence };
  }
  if (silenceStoppedAt) {
    const since = dateAndTime(silenceStoppedAt);
    const sentence = `The breaker stopped those by silence on ${since}: more owners would have moved on in a day than can be right. ${letGo}`;
    return { name, isWell: false, how: 'Stopped by the breaker', sentence };
  }
  const held = [
    frozenOwners > 0 ? `${counted(frozenOwners, 'owner')} stopped by name` : null,
    heldMailboxes > 0 ? `${counted(heldMailboxes, 'mailbox', 'mailboxes')} held` : null,
    earlyReviews > 0
      ? `${counted(earlyReviews, 'early release')} to many new mailboxes ${earlyReviews === 1 ? 'waits' : 'wait'} for you: run everkept release show`
      : null,
  ].filter((part) => part !== null);
  const under =
    owners === 0 ? 'None is under way' : `${counted(owners, 'owner')} followed up (${open.map(stateWords).join(', ')})`;
  const sentence = `${[under, ...held].join('; ')}.`;
  return {
    name,
    isWell: heldMailboxes === 0 && earlyReviews === 0,
    how: heldMailboxes > 0 ? 'A mailbox waits' : earlyReviews > 0 ? 'An early release waits' : 'Nothing stopped',
    sentence,
  };
}

const states: Record<AdminState['releases']['open'][number]['state'], string> = {
  watching: 'early request open',
  reminded: 'reminded once',
  warned: 'reminded twice',
  asking: 'contacts asked',
  paused: 'paused',
  holding: 'waiting period',
  releasing: 'delivering',
  released: 'delivered',
  halted: 'taken back',
};
const stateWords = ({ state, owners }: AdminState['releases']['open'][number]) => `${owners} ${states[state]}`;

function clockOf({ clock, alerts }: AdminState): Vital {
  const name = 'Clock';
  const { differenceMs, isRight, behindUntil } = clock;
  if (behindUntil) {
    const until = dateAndTime(behindUntil);
    return {
      name,
      isWell: false,
      how: 'Behind',
      sentence: `It was ahead once. Nothing moves forward before ${until}. If the present time is right, run everkept clock accept. ${toldOf(alerts, 'clock')}`,
    };
  }
  const apart = differenceMs < 1_000 ? 'Within a second' : counted(Math.round(differenceMs / 1_000), 'second');
  return isRight
    ? { name, isWell: true, how: 'Right', sentence: `${apart} of the database’s.` }
    : {
        name,
        isWell: false,
        how: 'Wrong',
        sentence: `${apart} from the database’s. Both machines need a time server.`,
      };
}

function sealsOf({ seals }: AdminState): Vital {
  const name = 'Seals';
  const { checkedAt, isLate, broken } = seals;
  const checked = checkedAt
    ? `Everything was last checked on ${longDate(checkedAt)}.`
    : 'Not everything was checked yet.';
  if (broken > 0) {
    const places = counted(broken, 'place no longer matches its seal', 'places no longer match their seals');
    return { name, isWell: false, how: `${broken} broken`, sentence: `${places}. Run everkept integrity. ${checked}` };
  }
  return isLate
    ? { name, isWell: false, how: 'Check is late', sentence: `${checked} It should be once a week: let a worker run.` }
    : { name, isWell: true, isOpen: checkedAt === null, how: 'None is broken', sentence: checked };
}

function logOf({ log }: AdminState): Vital {
  const name = 'Audit log';
  return log.anchoredOn === null
    ? {
        name,
        isWell: true,
        isOpen: true,
        how: 'No line yet',
        sentence: 'The line of the day comes with the first round of a worker.',
      }
    : {
        name,
        isWell: true,
        how: 'Kept',
        sentence: `Its last line is that of ${longDate(`${log.anchoredOn}T12:00:00Z`)}.`,
      };
}
