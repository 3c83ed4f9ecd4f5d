import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  changeProposal,
  endProposal,
  findNextLookAt,
  findWaitingProposals,
  type ProposalRow,
} from './new-address.repository.ts';
import { askAgainDays, firstAskOfWindow, needsReview, waitedProposal } from './new-address.rules.ts';
import { askOthers } from './new-address-mails.ts';
import { type AddressScene, type Proposal, readAddressScene, sendsAtOf } from './new-address-scene.ts';
import { askForReview, sendToProposed } from './new-address-sending.ts';
import { tellOfRestore } from './restored-proposals.ts';

const proposalsPerRound = 100;
/** Time after which a proposal that is due but may not be sent is checked again. */
const checkAgainMs = 3_600_000;

const askAgainMs = askAgainDays * dayMs;
/** Latest time after which a paused window is checked again. */
const checkLatestMs = 3 * dayMs;

/** Returns the time at which the next proposal is checked. Null if none is live. */
export function nextProposalAt({ db }: App): Promise<Date | null> {
  return findNextLookAt(db);
}

/**
 * Checks proposals that wait for their time, each in a transaction of its own, and sends those that have waited long
 * enough. One that fails stops no other. Returns their number.
 */
export async function sendWaitedProposals(app: App, limit = proposalsPerRound): Promise<number> {
  const now = await app.clock.now();
  let checked = await tellOfRestore(app);
  for (const proposal of await findWaitingProposals(app.db, now, limit)) {
    try {
      await app.db.transaction((tx) => checkProposal(app, tx, proposal));
      checked += 1;
    } catch (error) {
      const failure = error instanceof Error ? error.name : 'unknown';
      app.log.error({ owner: proposal.userId, failure }, 'A proposed address could not be looked at.');
      await changeProposal(app.db, proposal.id, { lookAt: new Date(now.getTime() + checkAgainMs) });
    }
  }
  return checked;
}

async function checkProposal(app: App, tx: Executor, found: ProposalRow): Promise<void> {
  await lockOwnerRow(tx, found.userId);
  const at = await app.clock.now(tx);
  const checkAgainAt = new Date(at.getTime() + checkAgainMs);
  const scene = await readAddressScene(app, tx, { ...found, at });
  const letter = scene?.letters.find(({ unreached }) => unreached.deliveryId === found.deliveryId);
  // The proposal continues after its repair.
  if (letter?.isProposalDamaged) return changeProposal(tx, found.id, { lookAt: checkAgainAt });
  const proposal = letter?.proposal;
  // Read again under the lock: it may have been withdrawn, or sent by another worker.
  const isSame = proposal?.row.id === found.id && ['waiting', 'proposed'].includes(proposal.row.status);
  if (!scene || !letter || !proposal || !isSame) return endProposal(tx, found.id, at);

  const { waited, row } = proposal;
  switch (waitedProposal(scene.facts, letter.facts, { waited, now: at.getTime() })) {
    case 'send':
      return sendToProposed(app, { tx, scene, letter }, isAgreedTo(row) ? 'agreed' : 'unanswered');
    case 'review':
      await askForReview(app, { tx, scene, letter });
      return changeProposal(tx, found.id, { lookAt: checkAgainAt });
    case 'end':
      return endProposal(tx, found.id, at);
    case 'pause':
      return changeProposal(tx, found.id, { waitsFromHealthyMs: null, lookAt: checkAgainAt });
    // A contact who can agree has joined, or a freeze has ended: it waits as if it had just been proposed.
    case 'ask_others':
      return startWindow(app, tx, { scene, proposal, status: 'proposed' });
    case 'restart':
      return startWindow(app, tx, { scene, proposal, status: row.status });
    case 'ask_again':
      await askAgain(app, tx, scene, proposal);
  }
  const nextAskMs = askAgainMs - (waited.waitedMs % askAgainMs);
  const untilOverMs = waited.remainingMs === null ? checkLatestMs : waited.remainingMs || checkAgainMs;
  const waitMs = Math.min(untilOverMs, nextAskMs, checkLatestMs);
  return changeProposal(tx, found.id, { lookAt: new Date(at.getTime() + waitMs) });
}

/** Starts a whole window, with the questions that belong to it. */
async function startWindow(
  app: App,
  tx: Executor,
  { scene, proposal, status }: { scene: AddressScene; proposal: Proposal; status: ProposalRow['status'] },
): Promise<void> {
  const { at, mark, facts } = scene;
  const { row, by, address } = proposal;
  const isAsking = status === 'proposed';
  const number = firstAskOfWindow(row.asksSent);
  await changeProposal(tx, row.id, {
    status,
    waitsFromHealthyMs: mark.healthyMs,
    asksSent: isAsking ? number + 1 : row.asksSent,
    lookAt: new Date(at.getTime() + checkLatestMs),
  });
  if (!isAsking) return;
  const sendsAt = sendsAtOf(scene, { contactId: by.id, address, status: 'proposed' });
  const isReviewed = needsReview(facts, address);
  await askOthers(app, tx, scene, { proposalId: row.id, byId: by.id, sendsAt, number, isReviewed });
}

/** Asks the others again. A mail can be overlooked, so a contact's silence counts only after three questions. */
async function askAgain(
  app: App,
  tx: Executor,
  scene: AddressScene,
  { row, by, address, waited }: Proposal,
): Promise<void> {
  const { remainingMs, asksSent: number } = waited;
  const isReviewed = needsReview(scene.facts, address);
  const sendsAt = remainingMs === null || isReviewed ? null : new Date(scene.at.getTime() + remainingMs);
  await changeProposal(tx, row.id, { asksSent: number + 1 });
  await askOthers(app, tx, scene, { proposalId: row.id, byId: by.id, sendsAt, number, isReviewed });
}

function isAgreedTo({ status, answeredBy }: ProposalRow): boolean {
  return status === 'waiting' || answeredBy !== null;
}
