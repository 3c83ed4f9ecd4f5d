import type { NewAddressPage } from '#shared/contract/release/new-address.ts';
import { productName } from '#shared/product.ts';
import { counted, longDate } from '#web/lib/format.ts';
import { namesInRow } from './portal-words.ts';

export type Letter = NewAddressPage['letters'][number];

/** Any one of them can agree. */
export function othersOf({ otherContactNames }: NewAddressPage): string {
  return namesInRow(otherContactNames);
}

/** Introduction before any question. */
export function whatHappened({ letters, user }: NewAddressPage): string {
  const isSome = (...states: Letter['state'][]) => letters.some(({ state }) => states.includes(state));
  const helpless = 'If you can’t help, there is nothing you need to do.';
  if (isSome('unopened') && !isSome('refused', 'too_late')) {
    return `Nobody has opened what ${user.firstName} left for somebody: the mail arrived, and its 30 days are over. Perhaps that mailbox is not read any more. If you know the person, tell them: anyone who has the old email can ask for the link again. ${helpless}`;
  }
  const orUnopened = isSome('unopened') ? ', or nobody opened it there' : '';
  return `We could not reach somebody ${user.firstName} wrote to: the last address we had did not accept our email${orUnopened}. The message is kept. ${helpless}`;
}

/** State of a message at the address beside it. */
export function whereItStands({ isStopped }: NewAddressPage, letter: Letter): string {
  if (letter.state === 'on_its_way') return isStopped ? 'Waits to go to' : 'On its way to';
  return whatFailed(letter);
}

/** Failure at the address that stands beside it. */
export function whatFailed({ state }: Letter): string {
  return state === 'unopened' ? 'Not opened at' : 'Refused by';
}

/** Consequence of a proposal. */
export function whatFollows(page: NewAddressPage): string {
  if (page.isStopped) {
    return 'All of this is stopped for now. No address can be proposed or agreed with, and nothing is sent. You can still tell us that a proposed address is wrong. When the release continues, the whole waiting time begins again. Please come back in a few days.';
  }
  if (page.needsAgreement) {
    return `A message is sent to another address when a second person agrees. We ask ${othersOf(page)} as well, and tell ${page.user.firstName}. If nobody answers, it is sent after ${counted(page.waitDays, 'day')}; a no stops it. To an address of your own it is never sent without a second person.`;
  }
  return `You are the only one we can ask, so we wait ${counted(page.waitDays, 'day')} before it is sent, and try the old address once more. Until then you can take it back on this page. We tell ${page.user.firstName} as well.`;
}

/** A known address needs no agreement. */
export const tryAgain = {
  words: 'Is the address above right, and was something wrong with that mailbox? Then we can send it there once more.',
  label: 'It is right: try it again',
  reason: 'The address is right.',
};

export function proposalWords(
  page: NewAddressPage,
  { address, byName, isYours, canBeAgreed, isUnderReview, sendsAt }: NonNullable<Letter['proposal']>,
) {
  const who = isYours ? 'You' : byName;
  if (page.isStopped) return { who, address, next: 'Nothing is sent there while all of this is stopped.' };
  if (canBeAgreed && page.otherContactNames.length === 0) {
    const next = `It is sent there only when the people who run ${productName} agree, since nobody else can. They have been told.`;
    return { who, address, next };
  }
  const others = page.otherContactNames.length > 1 ? 'one of them' : othersOf(page);
  const agreed = isYours ? `when ${others} agrees` : 'if you agree';
  if (isUnderReview) {
    const check = `We check this release first, because its messages have gone to many people whom we had not written to before.`;
    const next = canBeAgreed
      ? `${check} It is sent there after that, ${agreed}.`
      : `${check} Nothing more is needed from you.`;
    return { who, address, next };
  }
  const unanswered = sendsAt ? `on ${longDate(sendsAt)}` : null;
  const when = canBeAgreed ? [agreed, unanswered && `${unanswered} if nobody answers`] : [unanswered];
  return { who, address, next: `It is sent there ${when.filter(Boolean).join(', or ')}.` };
}

export function privateWords({ privateLetterCount, letters, user }: NewAddressPage): string | null {
  if (privateLetterCount === 0) return null;
  const more = letters.length > 0 ? ' more' : '';
  const message = privateLetterCount === 1 ? `One${more} message` : `${privateLetterCount}${more} messages`;
  const isOne = privateLetterCount === 1;
  const reached = `could not be delivered, or nobody has opened ${isOne ? 'it' : 'them'}`;
  return `${message} ${reached}. ${user.firstName} did not let anybody see to whom, so nothing of ${isOne ? 'it' : 'them'} is shown here. ${isOne ? 'It is' : 'They are'} kept.`;
}
