import { formerPhone, formerPhoneAfter } from '#server/features/accounts/former-phone.ts';
import { isOverUnopened } from '#server/features/delivery/delivery.rules.ts';
import { bounceCountsMs, isMailboxClosed } from '#server/features/notifications/bounces.rules.ts';
import {
  type AttemptFacts,
  isLongRefused,
  longRefusedMs,
  stepAfterAttempt,
} from '#server/features/notifications/notifications.retry.rules.ts';
import { isMassRefusal } from '#server/features/notifications/refusals/mailbox-refusals.rules.ts';
import { isProposable } from '#server/features/redelivery/new-address.rules.ts';
import { nudgeOf } from '#server/features/release/release-nudge.rules.ts';
import { type Boundary, dayMs, hourMs, lifeOf } from './boundaries.ts';

/** Numbers of the section "When mail fails", and the rest of "Delivery" and "What counts as activity". */

const facts: AttemptFacts = {
  ...{ policy: 'patient', outcome: 'temporary', attempts: 1_000, attemptsInVain: 0, refusals: 0 },
  ...{ firstDueMs: 0, nowMs: 0, hasWitness: true },
};
const statusAfter = (change: Partial<AttemptFacts>) => stepAfterAttempt({ ...facts, ...change }).status;

const closedMailboxes: Boundary[] = [
  ...(['patient', 'owner-reminder', 'link-again'] as const).map(
    (policy): Boundary => ({
      page: `It refused our mail for good on three days (${policy})`,
      number: 3,
      is: 'from',
      isSo: (refusals) => statusAfter({ policy, outcome: 'refused', refusals }) === 'bounced',
    }),
  ),
  {
    page: 'It refused our mail for good on three days (reports)',
    number: 3,
    is: 'from',
    isSo: (countedDays) => isMailboxClosed({ countedDays, tries: 0, healthyMs: 0 }),
  },
  {
    page: 'at least ten tries over 30 healthy days (tries)',
    number: 10,
    is: 'from',
    isSo: (tries) => isMailboxClosed({ countedDays: 0, tries, healthyMs: 30 * dayMs }),
  },
  {
    page: 'at least ten tries over 30 healthy days (days)',
    number: 30,
    is: 'from',
    isSo: (days) => isMailboxClosed({ countedDays: 0, tries: 10, healthyMs: days * dayMs }),
  },
  {
    page: 'more than 3 mailboxes of a domain refuse at once',
    number: 3,
    is: 'up to',
    isSo: (refusing) => !isMassRefusal({ refusing, known: 10 }),
  },
  {
    page: 'more than 5 % of the mailboxes of a domain refuse at once (of 200)',
    number: 10,
    is: 'up to',
    isSo: (refusing) => !isMassRefusal({ refusing, known: 200 }),
  },
];

const trouble: Boundary[] = [
  ...(['patient', 'owner-reminder'] as const).map(
    (policy): Boundary => ({
      page: `The mail is tried again for 30 days (${policy})`,
      number: 30,
      is: 'from',
      isSo: (days) => statusAfter({ policy, nowMs: days * dayMs }) === 'dead',
    }),
  ),
  {
    page: '30 days in which it could be tried (four tries a day, and eight more on the first)',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const counted = 4 * days + 8;
      return statusAfter({ attempts: 1_000, attemptsInVain: 1_000 - counted, nowMs: 60 * dayMs }) === 'dead';
    },
  },
  {
    page: 'The operator is notified of trouble with a temporary code (hours)',
    number: longRefusedMs / hourMs,
    is: 'from',
    isSo: (hours) => isLongRefused({ attempts: 1_000, firstDueMs: 0, nowMs: hours * hourMs }),
  },
];

const reports: Boundary[] = [
  {
    page: 'Any report counts only within 14 days of the acceptance.',
    number: 14,
    is: 'up to',
    isSo: (days) => days * dayMs <= bounceCountsMs,
  },
  {
    page: 'A question to a contact is written again once.',
    number: 1,
    is: 'up to',
    isSo: (times) => {
      const life = lifeOf();
      life.until(90);
      for (let bounce = 0; bounce < times; bounce += 1) {
        const question = life.world.notices.findLast(({ topic }) => topic === 'question');
        life.does({ kind: 'notice_bounced', notice: question?.id ?? 0, channel: 'email' });
        life.until(91.1 + bounce);
      }
      return life.lines(/contact_asked/).length === times + 1;
    },
  },
  {
    page: 'For 30 days after an owner changes a number, the notices also go to the former one.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const owner = { phone: '+441632960001', phoneProvenAt: new Date(0), formerPhone: null, formerPhoneUntil: null };
      return formerPhone(formerPhoneAfter(owner, new Date(0)), new Date(days * dayMs)) === null;
    },
  },
];

const others: Boundary[] = [
  {
    page: 'The gentle check-in nudge every checkinIntervalDays (30)',
    number: 30,
    is: 'from',
    isSo: (days) =>
      days >= 30 && nudgeOf({ sinceMs: 0, checkinIntervalDays: 30, inactivityDays: 365 }, 0).nextAtMs <= days * dayMs,
  },
  {
    page: 'If the letter was never opened by day 30, contacts are notified.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const letter = { status: 'accepted', isOpened: false, expiresAtMs: 30 * dayMs, beganHealthyMs: 0 } as const;
      return isOverUnopened(letter, { atMs: days * dayMs, healthyMs: days * dayMs });
    },
  },
  {
    page: 'Contacts can propose another address (decision 118: 180 days)',
    number: 180,
    is: 'from',
    isSo: (days) => {
      const letter = { isVisible: true, status: 'bounced', refusedAtMs: 0, refusedBy: [], proposal: null } as const;
      return !isProposable(letter, days * dayMs);
    },
  },
];

export const mailBoundaries: readonly Boundary[] = [...closedMailboxes, ...trouble, ...reports, ...others];
