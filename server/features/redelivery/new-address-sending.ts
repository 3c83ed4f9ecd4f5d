import type { App } from '#server/app.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { sendToNewAddress } from '#server/features/delivery/unreached.ts';
import { findDamagedMessages } from '#server/features/messages/letters.ts';
import { noteMailboxes } from '#server/features/release/early-review.ts';
import { beginEarlyReview } from '#server/features/release-health/early-reviews.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { changeProposal, endProposal, listLiveProposals } from './new-address.repository.ts';
import { askOperatorToReview, tellOwner } from './new-address-mails.ts';
import type { AddressScene, UnreachedLetter } from './new-address-scene.ts';

/* Steps of a refused letter: queued again, for the address that refused it or for another one. */

/** No one gets a link to a damaged letter. */
const damagedLetter = 'This message is damaged, so we keep it back until it can be read again. Nothing is lost.';

/** Actions on an address, as recorded in the audit log. */
type AddressAction =
  | 'proposed'
  | 'agreed'
  | 'under_review'
  | 'unanswered'
  | 'operator_agreed'
  | 'refused'
  | 'taken_back'
  | 'tried_again';

/** Time after which a proposal that waits for a review is checked again. The end of the review wakes it. */
const reviewCheckMs = 3_600_000;

/** A person's or the worker's step on one refused letter. */
export type LetterStep = { tx: Executor; scene: AddressScene; letter: UnreachedLetter; origin?: RequestOrigin };

export async function recordAddressAction(
  app: App,
  { tx, scene, letter, origin }: LetterStep,
  action: AddressAction,
): Promise<void> {
  const { contactId } = scene.facts;
  await recordAudit(app, tx, {
    userId: scene.owner.id,
    action: `release.address_${action}`,
    resource: 'message_delivery',
    resourceId: letter.unreached.deliveryId,
    details: { ...(contactId ? { contactId } : { isByOperator: true }), messageId: letter.unreached.messageId },
    ...(origin ? { origin } : {}),
    at: scene.at,
  });
}

/** Sends a letter again to the address that refused it, because a contact says that it is right. */
export async function tryAgain(app: App, step: LetterStep, address: string): Promise<void> {
  const { tx, scene, letter } = step;
  const { deliveryId } = letter.unreached;
  await requireWhole(app, step);
  await endProposalsFor(step);
  await recordAddressAction(app, step, 'tried_again');
  const isSent = await sendToNewAddress(app, tx, { deliveryId, address, at: scene.at });
  if (!isSent) throw new Error('A refused letter could not be sent again.');
}

/** Ends live proposals for this letter, to make room for another. */
export async function endProposalsFor({ tx, scene, letter }: LetterStep): Promise<void> {
  for (const proposal of await listLiveProposals(tx, scene.request.id)) {
    if (proposal.deliveryId === letter.unreached.deliveryId) await endProposal(tx, proposal.id, scene.at);
  }
}

/** Sends a letter to its proposed address. */
export async function sendToProposed(
  app: App,
  step: LetterStep,
  how: 'agreed' | 'unanswered' | 'operator_agreed' = 'agreed',
): Promise<void> {
  const { tx, scene, letter } = step;
  const { at, facts, request } = scene;
  const proposal = letter.proposal;
  if (!proposal) throw new Error('A letter is sent only to a proposed address.');
  const { row, by, address } = proposal;
  await requireWhole(app, step);
  const answeredBy = how === 'operator_agreed' ? null : facts.contactId;
  await changeProposal(tx, row.id, { status: 'sent', answeredBy, endedAt: at });
  await recordAddressAction(app, step, how);
  const isSent = await sendToNewAddress(app, tx, { deliveryId: letter.unreached.deliveryId, address, at });
  if (!isSent) throw new Error('A refused letter could not be sent to another address.');
  await noteMailboxes(app, tx, { request, addresses: [address], at });
  const sent = { stage: 'sent', sendsAt: null, agrees: null, isReviewed: false } as const;
  await tellOwner(app, tx, scene, { proposalId: row.id, byId: by.id, ...sent });
}

/** Asks the operator to check this release before it writes to more new mailboxes, once per release. */
export async function askForReview(app: App, step: LetterStep): Promise<void> {
  const { tx, scene } = step;
  if (scene.request.earlyReview === 'waiting') return;
  await beginEarlyReview(tx, scene.request.id);
  await recordAddressAction(app, step, 'under_review');
  await askOperatorToReview(app, tx, scene);
}

/** Keeps another contact's agreement until the review of this release has ended. */
export async function keepAgreement(app: App, step: LetterStep): Promise<void> {
  const { tx, scene, letter } = step;
  if (!letter.proposal) throw new Error('Only a proposed address can be agreed with.');
  await requireWhole(app, step);
  await askForReview(app, step);
  const lookAt = new Date(scene.at.getTime() + reviewCheckMs);
  await changeProposal(tx, letter.proposal.row.id, { answeredBy: scene.facts.contactId, lookAt });
  await recordAddressAction(app, step, 'agreed');
}

async function requireWhole(app: App, { tx, scene, letter }: LetterStep): Promise<void> {
  const damaged = await findDamagedMessages(app, tx, scene.owner.id, [letter.unreached.messageId]);
  if (damaged.size > 0) throw new AppError('CONFLICT', damagedLetter);
}
