import { AppError, notFound } from '#shared/contract/errors.ts';
import type { AddressRefusal } from './new-address.rules.ts';

const sentences: Record<Exclude<AddressRefusal, 'expired_link' | 'not_yours_to_see'>, string> = {
  frozen:
    'This has been stopped for now, so no address can be proposed or agreed to. You can still say no. Please come back in a few days.',
  too_new: 'You became a trusted contact less than three days ago. Please come back when three days have passed.',
  on_its_way: 'This message is already on its way to another address.',
  too_late: 'The time to propose another address is over.',
  tried_today: 'We have tried this address within the last day. Please come back tomorrow, or give another one.',
  owners_own: 'This address belongs to the person who wrote the message. Please give another one.',
  nobody_to_agree:
    'This address is your own. We can only send it there if another trusted contact agrees, and there is none.',
  nobody_to_review:
    'The messages of this release have gone to as many new mailboxes as we write to without a check, and no one is named here who could check it. So it can’t be sent to another new address. The message is kept.',
  other_proposal: 'Somebody has just proposed another address. Please look at that one first.',
  no_proposal: 'This proposal is not there any more. Please look at the page again.',
};

/** Refusal of a press, in words for its contact. */
export function addressRefusal(refusal: AddressRefusal): AppError {
  if (refusal === 'expired_link' || refusal === 'not_yours_to_see') return notFound('Invalid or expired access token');
  return new AppError('CONFLICT', sentences[refusal]);
}
