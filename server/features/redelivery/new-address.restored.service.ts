import { agreeingKind } from '#server/features/release-health/address-proposal-kinds.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { NewAddressMail } from './new-address.mail.service.ts';
import { findProposalsToTell, markProposalTold, type ProposalRow } from './new-address.repository.ts';
import type { ReleasesSeen } from './new-address-scene.service.ts';

const toldPerRound = 100;

/**
 * A restore ended every proposal that the backup had, since nobody here knows what became of it. Whoever proposed one is
 * asked to look at it again, each in a transaction of its own; one that fails stops no other and is tried again.
 */
export function createProposalsToTell(
  { db, clock, accounts, contacts, notifications, log }: ReleaseDependencies,
  { releases, mail }: { releases: Pick<ReleasesSeen, 'health'>; mail: NewAddressMail },
) {
  async function tell({ id, userId, requestId, contactId }: ProposalRow, backupAt: Date): Promise<void> {
    await db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      const request = await findRequest(tx, requestId);
      if (!owner || !request || !(await markProposalTold(tx, id))) return;
      // Mails that ask to agree with it lead to a page on which there is nothing to agree with.
      await notifications.cancelFor(tx, requestId, [agreeingKind]);
      const contact = (await contacts.confirmedContacts(tx, userId)).find((each) => each.id === contactId);
      if (!contact || request.closedAt) return;
      const at = await clock.now(tx);
      await mail.askToLookAgain(tx, { owner, requestId, contact, proposalId: id, backupAt, at });
    });
  }

  return async function tellOfRestore(): Promise<number> {
    const { restore } = await releases.health(db, await clock.now());
    if (!restore) return 0;
    let told = 0;
    for (const proposal of await findProposalsToTell(db, toldPerRound)) {
      try {
        await tell(proposal, new Date(restore.backupAtMs));
        told += 1;
      } catch (error) {
        const failure = error instanceof Error ? error.name : 'unknown';
        log.error({ owner: proposal.userId, failure }, 'Whoever proposed an address could not be told of a restore.');
      }
    }
    return told;
  };
}
