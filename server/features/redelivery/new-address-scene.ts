import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import type { ConfirmedContact } from '#server/features/contacts/confirmed-contacts.ts';
import type { LinkOfContact } from '#server/features/delivery/mails/contact-mails.ts';
import { listUnreached, type Unreached } from '#server/features/delivery/unreached.ts';
import { listSentMessages, type ReadyMessage } from '#server/features/messages/letters.ts';
import { addressesToReview } from '#server/features/release/early-review.ts';
import { countsEarlyFrom, mayLettersLeave } from '#server/features/release-core/facts.rules.ts';
import { endOf, type Mark } from '#server/features/release-core/model.rules.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { listLiveProposals, type ProposalRow } from './new-address.repository.ts';
import { type AddressFacts, type LetterFacts, needsReview, type Waited, waitDaysOf } from './new-address.rules.ts';

/** Live proposal with its words opened. */
export type Proposal = { row: ProposalRow; address: string; reason: string; by: ConfirmedContact; waited: Waited };

export type UnreachedLetter = {
  unreached: Unreached;
  /** Undefined if the message no longer exists. */
  message: ReadyMessage | undefined;
  proposal: Proposal | null;
  /** The proposal's seal is broken. The proposal does not count until it is repaired, and affects nothing else. */
  isProposalDamaged: boolean;
  facts: LetterFacts;
};

/** Facts on which every press on this page depends. */
export type AddressScene = {
  at: Date;
  owner: OwnerRow;
  request: RequestRow;
  contacts: readonly ConfirmedContact[];
  /** `now` measures passed time, as the least possible. New windows begin at `mark`, the most possible. */
  now: Mark;
  mark: Mark;
  facts: AddressFacts;
  letters: readonly UnreachedLetter[];
};

/** Seal context of a proposed address or of its reason. */
export function proposalContext(id: string, column: 'address' | 'reason') {
  return { table: 'address_proposals', column, rowId: id };
}

/**
 * Reads the scene of a contact's link. Null if the release or its owner is gone. Locks nothing. `proposing`: the
 * address that a contact proposes now.
 */
export async function readAddressScene(
  app: App,
  executor: Executor,
  link: LinkOfContact & { at: Date; proposing?: string },
): Promise<AddressScene | null> {
  const { at } = link;
  const request = await findRequest(executor, link.requestId);
  const owner = request && (await findOwner(executor, request.userId));
  if (!request || !owner) return null;

  const loaded = await readWorld(app, executor, owner, at);
  const { reading, contacts } = loaded;
  const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
  const facts: AddressFacts = {
    isUnderWay: request.closedAt === null && request.releasedAt !== null,
    isFrozen: isFrozen(loaded, request),
    isClockBehind: reading.isClockBehind,
    contacts: contacts.map(({ id, email }) => ({ id, email, countsFromMs: countsFromMs(loaded, id, now) })),
    contactId: link.contactId,
    ownerEmail: owner.email,
    hasOperator: app.settings.adminEmail !== undefined,
    toReview: [],
  };
  const scene = { at, owner, request, contacts, now, mark: reading.mark, facts };
  const letters = await readLetters(app, executor, scene);
  const addresses = [link.proposing ?? [], letters.flatMap(({ proposal }) => proposal?.address ?? [])].flat();
  const toReview = await addressesToReview(app, executor, { owner, request, addresses, at });
  return { ...scene, facts: { ...facts, toReview }, letters };
}

function isFrozen({ world, reading }: LoadedWorld, { bySilence }: RequestRow): boolean {
  return !mayLettersLeave(world) || (bySilence && reading.isSilenceStopped);
}

function countsFromMs({ world }: LoadedWorld, contactId: string, now: Mark): number {
  const contact = world.contacts.find(({ id }) => id === contactId);
  return contact ? countsEarlyFrom(contact, now) : Number.POSITIVE_INFINITY;
}

async function readLetters(
  app: App,
  executor: Executor,
  { owner, request, contacts, now, facts }: Omit<AddressScene, 'letters'>,
): Promise<UnreachedLetter[]> {
  const unreached = await listUnreached(app, executor, { userId: owner.id, requestId: request.id });
  if (unreached.length === 0) return [];

  const ids = unreached.map(({ messageId }) => messageId);
  const sent = new Map((await listSentMessages(app, executor, owner.id, ids)).map((message) => [message.id, message]));
  const vault = await openVault(app, executor, owner.id);
  const live = await listLiveProposals(executor, request.id);
  const proposed = new Map(live.map((row) => [row.deliveryId, row]));
  return mapInSlices(unreached, (each) => {
    const message = sent.get(each.messageId);
    const row = proposed.get(each.deliveryId);
    const by = row && contacts.find(({ id }) => id === row.contactId);
    // A proposal of a former contact does not count.
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
  // A paused one has the whole of its time left.
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

/**
 * Time at which a proposal that begins to wait now is sent without an agreement. Null if it needs an agreement, or a
 * review first.
 */
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
