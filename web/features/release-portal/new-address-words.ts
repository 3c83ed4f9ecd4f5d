import type { NewAddressPage } from '#shared/contract/new-address.ts';
import { counted, longDate } from '#web/lib/format.ts';
import { namesInRow } from './portal-words.ts';

export type Letter = NewAddressPage['letters'][number];

/** Any one of them can agree. */
export function othersOf({ otherContactNames }: NewAddressPage): string {
  return namesInRow(otherContactNames);
}

/** What follows a proposal. */
export function whatFollows(page: NewAddressPage): string {
  if (page.needsAgreement) {
    return `Nothing is sent until a second person agrees. We ask ${othersOf(page)} as well, and tell ${page.user.firstName}.`;
  }
  return `You are the only one we can ask, so we wait ${counted(page.waitDays, 'day')} before it is sent. Until then you can take it back on this page. We tell ${page.user.firstName} as well.`;
}

export function proposalWords(
  page: NewAddressPage,
  { address, byName, isYours, sendsAt }: NonNullable<Letter['proposal']>,
) {
  const who = isYours ? 'You' : byName;
  const next = sendsAt
    ? `It is sent there on ${longDate(sendsAt)}.`
    : isYours
      ? `It is sent there when ${page.otherContactNames.length > 1 ? 'one of them' : othersOf(page)} agrees.`
      : 'It is sent there if you agree.';
  return { who, address, next };
}

export function privateWords({ privateLetterCount, letters, user }: NewAddressPage): string | null {
  if (privateLetterCount === 0) return null;
  const more = letters.length > 0 ? ' more' : '';
  const message = privateLetterCount === 1 ? `One${more} message` : `${privateLetterCount}${more} messages`;
  return `${message} could not be delivered. ${user.firstName} did not let anybody see to whom, so nothing of it is shown here. It is kept.`;
}
