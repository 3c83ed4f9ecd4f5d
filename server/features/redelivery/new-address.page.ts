import { type getNewAddress, unreachedShownMax } from '#shared/contract/release/new-address.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import {
  aloneWaitDays,
  isProposable,
  isStopped,
  needsAgreement,
  needsReview,
  unansweredWaitDays,
} from './new-address.rules.ts';
import type { AddressScene, UnreachedLetter } from './new-address-scene.ts';

type Page = RouteAnswer<typeof getNewAddress>;

/** Page for one contact: title and address of each visible message, and the number of all others. */
export function newAddressPage({ at, owner, contacts, facts, letters }: AddressScene): Page {
  const nowMs = at.getTime();
  const contact = contacts.find(({ id }) => id === facts.contactId);
  const isShared = needsAgreement(facts, nowMs);
  const visible = letters.filter((letter) => letter.facts.isVisible);
  const shown = firstOf(visible, nowMs);
  return {
    user: { firstName: owner.firstName || owner.email, lastName: owner.lastName ?? '' },
    contactName: contact?.name ?? '',
    otherContactNames: contacts.filter(({ id }) => id !== facts.contactId).map(({ name }) => firstNameOf(name)),
    needsAgreement: isShared,
    isStopped: isStopped(facts),
    waitDays: isShared ? unansweredWaitDays : aloneWaitDays,
    letters: shown.map((letter) => ({
      id: letter.unreached.deliveryId,
      title: letter.message?.title ?? '',
      recipientEmail: letter.unreached.address,
      recipientName: letter.unreached.name,
      state: stateOf(letter, nowMs),
      proposal: proposalOf(letter, facts, nowMs),
    })),
    furtherLetterCount: visible.length - shown.length,
    privateLetterCount: letters.filter((letter) => !letter.facts.isVisible && letter.facts.status !== 'pending').length,
  };
}

/** The oldest letters for which something can be done, and then others, in their order: as many as a page shows. */
function firstOf(letters: readonly UnreachedLetter[], nowMs: number): UnreachedLetter[] {
  if (letters.length <= unreachedShownMax) return [...letters];
  const isOpen = (letter: UnreachedLetter) => ['refused', 'unopened'].includes(stateOf(letter, nowMs));
  const [open, others] = [letters.filter(isOpen), letters.filter((letter) => !isOpen(letter))];
  return [...open, ...others].slice(0, unreachedShownMax);
}

function stateOf({ facts }: UnreachedLetter, nowMs: number): Page['letters'][number]['state'] {
  if (facts.status === 'pending') return 'on_its_way';
  if (!isProposable(facts, nowMs)) return 'too_late';
  return facts.status === 'unopened' ? 'unopened' : 'refused';
}

function proposalOf({ proposal }: UnreachedLetter, facts: AddressScene['facts'], nowMs: number) {
  if (!proposal) return null;
  const { address, reason, by, row, waited } = proposal;
  const { remainingMs } = waited;
  const isUnderReview = needsReview(facts, address);
  return {
    address,
    reason,
    byName: firstNameOf(by.name),
    isYours: by.id === facts.contactId,
    canBeAgreed: row.status === 'proposed' && row.answeredBy === null,
    isUnderReview,
    // No day can be named during a stop, or before a review has ended.
    sendsAt: remainingMs === null || isUnderReview || isStopped(facts) ? null : new Date(nowMs + remainingMs),
  };
}
