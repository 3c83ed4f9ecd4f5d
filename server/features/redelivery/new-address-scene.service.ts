import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { ConfirmedContact } from '#server/features/contacts/contacts.service.ts';
import type { Unreached } from '#server/features/delivery/delivery.service.ts';
import type { ReadyMessage } from '#server/features/messages/messages.service.ts';
import { addressesToReview } from '#server/features/release/early-review.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import { countsEarlyFrom, mayLettersLeave } from '#server/features/release-core/facts.rules.ts';
import { endOf, type Mark } from '#server/features/release-core/model.rules.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { listLiveProposals, type ProposalRow } from './new-address.repository.ts';
import { type AddressFacts, type LetterFacts, needsReview, type Waited, waitDaysOf } from './new-address.rules.ts';

/** A proposal that is alive, with its words opened. */
export type Proposal = { row: ProposalRow; address: string; reason: string; by: ConfirmedContact; waited: Waited };

export type UnreachedLetter = {
  unreached: Unreached;
  /** Undefined where there is no such message any more. */
  message: ReadyMessage | undefined;
  proposal: Proposal | null;
  /** A proposal is there, and its seal is broken: it counts for nothing until it is mended, and hides nothing else. */
  isProposalDamaged: boolean;
  facts: LetterFacts;
};

/** Everything a press on this page rests on. */
export type AddressScene = {
  at: Date;
  owner: OwnerRow;
  request: RequestRow;
  contacts: readonly ConfirmedContact[];
  /** What has passed is measured at the least there can have been; what begins, begins at the most. */
  now: Mark;
  mark: Mark;
  facts: AddressFacts;
  letters: readonly UnreachedLetter[];
};

type Dependencies = Pick<ReleaseDependencies, 'accounts' | 'messages' | 'deliveries' | 'adminEmail' | 'hashToken'>;
export type WhoseLink = { requestId: string; contactId: string };
/** How releases stand, which decides whether anything may be proposed. */
export type ReleasesSeen = Pick<Releases, 'look' | 'health'>;

/** Where a proposed address or its reason is sealed. */
export function proposalContext(id: string, column: 'address' | 'reason') {
  return { table: 'address_proposals', column, rowId: id };
}

/**
 * Reads what a contact's link is about, or `null` where the release or its owner is gone. Locks nothing.
 * `proposing`: the address that a contact proposes now.
 */
export async function readAddressScene(
  executor: Executor,
  link: WhoseLink & { at: Date; proposing?: string },
  { deps, releases }: { deps: Dependencies; releases: Pick<ReleasesSeen, 'look'> },
): Promise<AddressScene | null> {
  const { at } = link;
  const request = await findRequest(executor, link.requestId);
  const owner = request && (await deps.accounts.ownerOf(executor, request.userId));
  if (!request || !owner) return null;

  const situation = await releases.look(executor, owner, at);
  const { reading, contacts } = situation;
  const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
  const facts: AddressFacts = {
    isUnderWay: request.closedAt === null && request.releasedAt !== null,
    isFrozen: isFrozen(situation, request),
    isClockBehind: reading.isClockBehind,
    contacts: contacts.map(({ id, email }) => ({ id, email, countsFromMs: countsFromMs(situation, id, now) })),
    contactId: link.contactId,
    ownerEmail: owner.email,
    hasOperator: deps.adminEmail !== null,
    toReview: [],
  };
  const scene = { at, owner, request, contacts, now, mark: reading.mark, facts };
  const letters = await readLetters(executor, scene, deps);
  const addresses = [link.proposing ?? [], letters.flatMap(({ proposal }) => proposal?.address ?? [])].flat();
  const toReview = await addressesToReview(deps, executor, { owner, request, addresses, at });
  return { ...scene, facts: { ...facts, toReview }, letters };
}

function isFrozen({ world, reading }: Situation, { bySilence }: RequestRow): boolean {
  return !mayLettersLeave(world) || (bySilence && reading.isSilenceStopped);
}

function countsFromMs({ world }: Situation, contactId: string, now: Mark): number {
  const contact = world.contacts.find(({ id }) => id === contactId);
  return contact ? countsEarlyFrom(contact, now) : Number.POSITIVE_INFINITY;
}

async function readLetters(
  executor: Executor,
  { owner, request, contacts, now, facts }: Omit<AddressScene, 'letters'>,
  { accounts, messages, deliveries }: Dependencies,
): Promise<UnreachedLetter[]> {
  const unreached = await deliveries.unreached(executor, { userId: owner.id, requestId: request.id });
  if (unreached.length === 0) return [];

  const ids = unreached.map(({ messageId }) => messageId);
  const sent = await messages.sentMessages(executor, owner.id, ids);
  const vault = await accounts.openVault(executor, owner.id);
  const rows = await listLiveProposals(executor, request.id);
  return unreached.map((each) => {
    const message = sent.find(({ id }) => id === each.messageId);
    const row = rows.find(({ deliveryId }) => deliveryId === each.deliveryId);
    const by = row && contacts.find(({ id }) => id === row.contactId);
    // Of somebody who is no contact any more, nothing counts.
    const found = row && by ? opened(vault, { row, by, facts, now }) : null;
    const isProposalDamaged = found === 'damaged';
    const proposal = isProposalDamaged ? null : found;
    return { unreached: each, message, proposal, isProposalDamaged, facts: letterFacts(each, message, proposal) };
  });
}

function opened(
  vault: Vault,
  of: { row: ProposalRow; by: ConfirmedContact; facts: AddressFacts; now: Mark },
): Proposal | 'damaged' {
  const { row, by, facts, now } = of;
  const words = unlessBroken(() => openedWords(vault, row));
  if (words === null) return 'damaged';
  const { address, reason } = words;
  const days = waitDaysOf(facts, { contactId: by.id, address, status: liveStatusOf(row) });
  // One that stands still has the whole of its time before it.
  const healthyMs = row.waitsFromHealthyMs ?? now.healthyMs;
  const from = { atMs: row.createdAt.getTime(), healthyMs };
  const waited = {
    hasBegun: row.waitsFromHealthyMs !== null,
    waitedMs: Math.max(0, now.healthyMs - healthyMs),
    remainingMs: days === null ? null : endOf({ from, days }, now) - now.atMs,
    asksSent: row.asksSent,
  };
  return { row, by, address, reason, waited };
}

function openedWords(vault: Vault, { id, address, reason }: ProposalRow) {
  return {
    address: vault.unseal(proposalContext(id, 'address'), address),
    reason: vault.unseal(proposalContext(id, 'reason'), reason),
  };
}

/** When a proposal that begins to wait now is sent on one word; null where it never is, or needs a review first. */
export function sendsAtOf({ at, facts }: AddressScene, proposal: NonNullable<LetterFacts['proposal']>) {
  if (needsReview(facts, proposal.address)) return null;
  const days = waitDaysOf(facts, proposal);
  return days === null ? null : new Date(at.getTime() + days * dayMs);
}

function liveStatusOf({ status }: ProposalRow): 'waiting' | 'proposed' {
  return status === 'waiting' ? 'waiting' : 'proposed';
}

function letterFacts(unreached: Unreached, message: ReadyMessage | undefined, proposal: Proposal | null): LetterFacts {
  const { status, refusedAt, refusedBy } = unreached;
  return {
    isVisible: message?.visibleToTrustedContact ?? false,
    status,
    refusedAtMs: refusedAt.getTime(),
    refusedBy,
    proposal: proposal && {
      contactId: proposal.by.id,
      address: proposal.address,
      status: liveStatusOf(proposal.row),
      isAgreed: proposal.row.answeredBy !== null,
    },
  };
}
