import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import { noteMailboxes } from '#server/features/release/early-review.service.ts';
import { beginEarlyReview } from '#server/features/release-health/early-reviews.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { NewAddressMail } from './new-address.mail.service.ts';
import { changeProposal, endProposal, listLiveProposals } from './new-address.repository.ts';
import type { AddressScene, UnreachedLetter } from './new-address-scene.service.ts';

/** As everywhere, nobody gets a link to a letter that does not open. */
const heldBack = 'This message is damaged, so we keep it back until it can be read again. Nothing is lost.';

/** What the log says was done about an address. */
type AddressAction =
  | 'proposed'
  | 'agreed'
  | 'under_review'
  | 'unanswered'
  | 'operator_agreed'
  | 'refused'
  | 'taken_back'
  | 'tried_again';

/** Time after which a proposal that waits for a review is looked at again. The end of the review wakes it. */
const reviewLookMs = 3_600_000;

/** Somebody does something about one refused letter. */
export type Acting = { tx: Executor; scene: AddressScene; letter: UnreachedLetter; origin?: RequestOrigin };

/** Puts a refused letter on its way again, to the address that refused it or to another one. */
export function createAddressSending(
  { messages, deliveries, audit, hashToken }: ReleaseDependencies,
  mail: Pick<NewAddressMail, 'tellOwner' | 'askForReview'>,
) {
  async function record({ tx, scene, letter, origin }: Acting, action: AddressAction): Promise<void> {
    const { contactId } = scene.facts;
    await audit.record(tx, {
      userId: scene.owner.id,
      action: `release.address_${action}`,
      resource: 'message_delivery',
      resourceId: letter.unreached.deliveryId,
      details: { ...(contactId ? { contactId } : { isByOperator: true }), messageId: letter.unreached.messageId },
      ...(origin ? { origin } : {}),
      at: scene.at,
    });
  }

  /** The address is right, somebody says: it is tried again as it is. */
  async function tryAgain(acting: Acting, address: string): Promise<void> {
    const { tx, scene, letter } = acting;
    const { deliveryId } = letter.unreached;
    await requireWhole(acting);
    for (const old of await listLiveProposals(tx, scene.request.id)) {
      if (old.deliveryId === deliveryId) await endProposal(tx, old.id, scene.at);
    }
    await record(acting, 'tried_again');
    const isSent = await deliveries.sendToNewAddress(tx, { deliveryId, address, at: scene.at });
    if (!isSent) throw new Error('A refused letter could not be sent again.');
  }

  async function requireWhole({ tx, scene, letter }: Acting): Promise<void> {
    const damaged = await messages.damagedAmong(tx, scene.owner.id, [letter.unreached.messageId]);
    if (damaged.size > 0) throw new AppError('CONFLICT', heldBack);
  }

  async function send(acting: Acting, how: 'agreed' | 'unanswered' | 'operator_agreed' = 'agreed'): Promise<void> {
    const { tx, scene, letter } = acting;
    const { at, facts } = scene;
    const proposal = letter.proposal;
    if (!proposal) throw new Error('Only what was proposed is sent.');
    const { deliveryId } = letter.unreached;
    await requireWhole(acting);
    const answeredBy = how === 'operator_agreed' ? null : facts.contactId;
    await changeProposal(tx, proposal.row.id, { status: 'sent', answeredBy, endedAt: at });
    await record(acting, how);
    const isSent = await deliveries.sendToNewAddress(tx, { deliveryId, address: proposal.address, at });
    if (!isSent) throw new Error('A refused letter could not be sent to another address.');
    await noteMailboxes({ hashToken }, { tx, at }, { request: scene.request, addresses: [proposal.address] });
    await mail.tellOwner(tx, scene, {
      proposalId: proposal.row.id,
      byId: proposal.by.id,
      sendsAt: null,
      stage: 'sent',
      agrees: null,
      isReviewed: false,
    });
  }

  /** Has the operator check this release before it writes to more new mailboxes. Asks once for each release. */
  async function askForReview(acting: Acting): Promise<void> {
    const { tx, scene } = acting;
    if (scene.request.earlyReview === 'waiting') return;
    await beginEarlyReview(tx, scene.request.id);
    await record(acting, 'under_review');
    await mail.askForReview(tx, scene);
  }

  /** Keeps another contact's agreement until the review of this release has ended. */
  async function agree(acting: Acting): Promise<void> {
    const { tx, scene, letter } = acting;
    if (!letter.proposal) throw new Error('Only a proposed address can be agreed with.');
    await requireWhole(acting);
    await askForReview(acting);
    const lookAt = new Date(scene.at.getTime() + reviewLookMs);
    await changeProposal(tx, letter.proposal.row.id, { answeredBy: scene.facts.contactId, lookAt });
    await record(acting, 'agreed');
  }

  return { record, tryAgain, send, agree, askForReview };
}
