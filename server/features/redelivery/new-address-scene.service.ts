import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Unreached } from '#server/features/delivery/delivery.service.ts';
import type { ReadyMessage } from '#server/features/messages/messages.service.ts';
import type { HealthKeeper, Reading } from '#server/features/release/health.service.ts';
import { type CycleRow, findCycle } from '#server/features/release/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release/release-dependencies.ts';
import { remainingMs } from '#server/features/release/release-facts.rules.ts';
import { type Contact, contactFacts } from '#server/features/release/release-scene.ts';
import { SealBrokenError, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { listLiveProposals, type ProposalRow } from './new-address.repository.ts';
import { type AddressFacts, type LetterFacts, type Waited, waitDaysOf } from './new-address.rules.ts';

/** A proposal that is alive, with its words opened. */
export type Proposal = { row: ProposalRow; address: string; reason: string; by: Contact; waited: Waited };

export type UnreachedLetter = {
  unreached: Unreached;
  /** Undefined where there is no such message any more that waits to be sent. */
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
  cycle: CycleRow;
  contacts: readonly Contact[];
  reading: Reading;
  facts: AddressFacts;
  letters: readonly UnreachedLetter[];
};

type Dependencies = Pick<ReleaseDependencies, 'accounts' | 'contacts' | 'messages' | 'deliveries'>;
export type WhoseLink = { cycleId: string; contactId: string };

/** Where a proposed address or its reason is sealed. */
export function proposalContext(id: string, column: 'address' | 'reason') {
  return { table: 'address_proposals', column, rowId: id };
}

/** Reads what a contact's link is about, or `null` where the release or its owner is gone. Locks nothing. */
export async function readAddressScene(
  executor: Executor,
  link: WhoseLink & { at: Date },
  { deps, health }: { deps: Dependencies; health: Pick<HealthKeeper, 'read'> },
): Promise<AddressScene | null> {
  const { at } = link;
  const cycle = await findCycle(executor, link.cycleId);
  const owner = cycle && (await deps.accounts.ownerOf(executor, cycle.userId));
  if (!cycle || !owner) return null;

  const contacts = await deps.contacts.confirmedContacts(executor, owner.id);
  const reading = await health.read(executor, at);
  const isHeld = cycle.questionAt !== null;
  const isOwnerFrozen = owner.releaseFrozenAt !== null || owner.deletionRequestedAt !== null || isHeld;
  const facts: AddressFacts = {
    state: openStateOf(cycle),
    isFrozen: isOwnerFrozen || reading.isFrozen,
    isClockBehind: reading.isClockBehind,
    contacts: peopleOf(contacts, at, reading),
    contactId: link.contactId,
    ownerEmail: owner.email,
  };
  const scene = { at, owner, cycle, contacts, reading, facts };
  return { ...scene, letters: await readLetters(executor, scene, deps) };
}

async function readLetters(
  executor: Executor,
  { at, owner, cycle, contacts, reading }: Omit<AddressScene, 'letters'>,
  { accounts, messages, deliveries }: Dependencies,
): Promise<UnreachedLetter[]> {
  const unreached = await deliveries.unreached(executor, { userId: owner.id, cycleId: cycle.id });
  if (unreached.length === 0) return [];

  const ready = await messages.readyMessages(executor, owner.id);
  const vault = await accounts.openVault(executor, owner.id);
  const rows = await listLiveProposals(executor, cycle.id);
  return unreached.map((each) => {
    const message = ready.find(({ id }) => id === each.messageId);
    const row = rows.find(({ deliveryId }) => deliveryId === each.deliveryId);
    const by = row && contacts.find(({ id }) => id === row.contactId);
    // Of somebody who is no contact any more, nothing counts.
    const found =
      row && by ? opened(vault, { row, by, cycle, people: peopleOf(contacts, at, reading), reading }) : null;
    const isProposalDamaged = found === 'damaged';
    const proposal = isProposalDamaged ? null : found;
    return { unreached: each, message, proposal, isProposalDamaged, facts: letterFacts(each, message, proposal) };
  });
}

function opened(
  vault: Vault,
  of: { row: ProposalRow; by: Contact; cycle: CycleRow; people: AddressFacts['contacts']; reading: Reading },
): Proposal | 'damaged' {
  const { row, by, cycle, people, reading } = of;
  const words = openedWords(vault, row);
  if (words === 'damaged') return words;
  const { address, reason } = words;
  const days = waitDaysOf({ contacts: people }, { contactId: by.id, address, status: liveStatusOf(row) });
  // One that stands still has the whole of its time before it.
  const healthyMs = row.waitsFromHealthyMs ?? reading.healthyMs;
  const from = { atMs: row.createdAt.getTime(), healthyMs };
  const window = { from, days: days ?? 0, isDoubled: cycle.ownerUnreachable };
  const waited = {
    hasBegun: row.waitsFromHealthyMs !== null,
    waitedMs: Math.max(0, reading.healthyMs - healthyMs),
    remainingMs: days === null ? null : remainingMs(window, reading.healthyMs),
    asksSent: row.asksSent,
  };
  return { row, by, address, reason, waited };
}

function openedWords(vault: Vault, { id, address, reason }: ProposalRow) {
  try {
    return {
      address: vault.unseal(proposalContext(id, 'address'), address),
      reason: vault.unseal(proposalContext(id, 'reason'), reason),
    };
  } catch (error) {
    if (error instanceof SealBrokenError) return 'damaged';
    throw error;
  }
}

/** When a proposal that begins to wait now is sent on one word; null where it never is. */
export function sendsAtOf({ at, facts, cycle }: AddressScene, proposal: NonNullable<LetterFacts['proposal']>) {
  const days = waitDaysOf(facts, proposal);
  return days === null ? null : new Date(at.getTime() + days * dayMs * (cycle.ownerUnreachable ? 2 : 1));
}

function liveStatusOf({ status }: ProposalRow): 'waiting' | 'proposed' {
  return status === 'waiting' ? 'waiting' : 'proposed';
}

function peopleOf(contacts: readonly Contact[], at: Date, reading: Reading): AddressFacts['contacts'] {
  return contacts.map((contact) => ({ ...contactFacts(contact, at, reading), email: contact.email }));
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
    },
  };
}

function openStateOf({ state, closedAt }: CycleRow): AddressFacts['state'] {
  return closedAt === null && state !== 'watching' && state !== 'halted' ? state : null;
}
