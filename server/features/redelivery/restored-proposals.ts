import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import { findProposalsToTell, markProposalTold, type ProposalRow } from './new-address.repository.ts';
import { askToProposeAgain } from './new-address-mails.ts';

const proposalsPerRound = 100;

/**
 * Asks the contacts whose proposals a restore ended to propose again, each in a transaction of its own. Returns their
 * number. One failure stops no other, and is tried again.
 */
export async function tellOfRestore(app: App): Promise<number> {
  const { restore } = await takeReading(app, app.db, await app.clock.now());
  if (!restore) return 0;
  let told = 0;
  for (const proposal of await findProposalsToTell(app.db, proposalsPerRound)) {
    try {
      await tellProposer(app, proposal, new Date(restore.backupAtMs));
      told += 1;
    } catch (error) {
      const failure = error instanceof Error ? error.name : 'unknown';
      app.log.error(
        { owner: proposal.userId, failure },
        'A contact who proposed an address was not told of a restore.',
      );
    }
  }
  return told;
}

async function tellProposer(
  app: App,
  { id, userId, requestId, contactId }: ProposalRow,
  backupAt: Date,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const request = await findRequest(tx, requestId);
    if (!owner || !request || !(await markProposalTold(tx, id))) return;
    // Mails that ask to agree with it lead to a page on which there is nothing to agree with.
    await cancelNotificationsFor(app, tx, requestId, 'proposal ended');
    const contacts = (await confirmedContactsOf(app, tx, [userId])).get(userId) ?? [];
    const contact = contacts.find((each) => each.id === contactId);
    if (!contact || request.closedAt) return;
    const at = await app.clock.now(tx);
    await askToProposeAgain(app, tx, { owner, requestId, contact, proposalId: id, backupAt, at });
  });
}
