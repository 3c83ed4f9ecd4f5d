import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { NewAddressMail } from './new-address.mail.service.ts';
import { changeProposal, endProposal, findWaitingProposals, type ProposalRow } from './new-address.repository.ts';
import { createProposalsToTell } from './new-address.restored.service.ts';
import { askAgainDays, firstAskOfWindow, needsReview, waitedProposal } from './new-address.rules.ts';
import {
  type AddressScene,
  type Proposal,
  type ReleasesSeen,
  readAddressScene,
  sendsAtOf,
  type UnreachedLetter,
} from './new-address-scene.service.ts';

const proposalsPerRound = 100;
/** A proposal whose time is over and that may not go is looked at again after so long. */
const lookAgainMs = 3_600_000;

const askAgainMs = askAgainDays * dayMs;
/** A window that stands still is looked at again after this at the latest. */
const lookLatestMs = 3 * dayMs;

type Parts = {
  releases: ReleasesSeen;
  mail: NewAddressMail;
  send(
    acting: { tx: Executor; scene: AddressScene; letter: UnreachedLetter },
    how: 'agreed' | 'unanswered',
  ): Promise<void>;
  askForReview(acting: { tx: Executor; scene: AddressScene; letter: UnreachedLetter }): Promise<void>;
};

/** Looks at proposals that wait for their time, each in a transaction of its own; one that fails stops no other. */
export function createWaitedProposals(deps: ReleaseDependencies, { releases, mail, send, askForReview }: Parts) {
  const { db, clock, accounts, log } = deps;
  const tellOfRestore = createProposalsToTell(deps, { releases, mail });

  async function look(found: ProposalRow): Promise<void> {
    await db.transaction(async (tx) => {
      await accounts.lockOwner(tx, found.userId);
      const at = await clock.now(tx);
      const scene = await readAddressScene(tx, { ...found, at }, { deps, releases });
      const letter = scene?.letters.find(({ unreached }) => unreached.deliveryId === found.deliveryId);
      // Whoever mends it lets it go on.
      if (letter?.isProposalDamaged) {
        return changeProposal(tx, found.id, { lookAt: new Date(at.getTime() + lookAgainMs) });
      }
      const proposal = letter?.proposal;
      // Read again under the lock: it may have been taken back, or sent by another worker.
      const isSame = proposal?.row.id === found.id && ['waiting', 'proposed'].includes(proposal.row.status);
      if (!scene || !letter || !proposal || !isSame) return endProposal(tx, found.id, at);

      const { waited } = proposal;
      const step = waitedProposal(scene.facts, letter.facts, { waited, now: at.getTime() });
      if (step === 'send') return send({ tx, scene, letter }, isAgreedTo(proposal.row) ? 'agreed' : 'unanswered');
      if (step === 'review') {
        await askForReview({ tx, scene, letter });
        return changeProposal(tx, found.id, { lookAt: new Date(at.getTime() + lookAgainMs) });
      }
      if (step === 'end') return endProposal(tx, found.id, at);
      if (step === 'stand_still') {
        return changeProposal(tx, found.id, { waitsFromHealthyMs: null, lookAt: new Date(at.getTime() + lookAgainMs) });
      }
      // Somebody who can agree has come, or a freeze has ended: it waits as if it had just been proposed.
      if (step === 'ask_others') return begin(tx, scene, proposal, 'proposed');
      if (step === 'begin_anew') return begin(tx, scene, proposal, proposal.row.status);
      if (step === 'ask_again') await askAgain(tx, scene, proposal);
      const nextAskMs = askAgainMs - (waited.waitedMs % askAgainMs);
      const untilOverMs = waited.remainingMs === null ? lookLatestMs : waited.remainingMs || lookAgainMs;
      const waitMs = Math.min(untilOverMs, nextAskMs, lookLatestMs);
      return changeProposal(tx, found.id, { lookAt: new Date(at.getTime() + waitMs) });
    });
  }

  /** The whole window, and the asks that belong to it. */
  async function begin(
    tx: Executor,
    scene: AddressScene,
    { row, by, address }: Proposal,
    status: ProposalRow['status'],
  ): Promise<void> {
    const { at, mark } = scene;
    const isAsking = status === 'proposed';
    const number = firstAskOfWindow(row.asksSent);
    await changeProposal(tx, row.id, {
      status,
      waitsFromHealthyMs: mark.healthyMs,
      asksSent: isAsking ? number + 1 : row.asksSent,
      lookAt: new Date(at.getTime() + lookLatestMs),
    });
    if (!isAsking) return;
    const sendsAt = sendsAtOf(scene, { contactId: by.id, address, status: 'proposed' });
    const isReviewed = needsReview(scene.facts, address);
    await mail.askOthers(tx, scene, { proposalId: row.id, byId: by.id, sendsAt, number, isReviewed });
  }

  /** A mail can be overlooked, so nobody's silence counts before they were asked three times. */
  async function askAgain(tx: Executor, scene: AddressScene, { row, by, address, waited }: Proposal): Promise<void> {
    const { remainingMs, asksSent: number } = waited;
    const isReviewed = needsReview(scene.facts, address);
    const sendsAt = remainingMs === null || isReviewed ? null : new Date(scene.at.getTime() + remainingMs);
    await changeProposal(tx, row.id, { asksSent: number + 1 });
    await mail.askOthers(tx, scene, { proposalId: row.id, byId: by.id, sendsAt, number, isReviewed });
  }

  return async function sendWaited(limit = proposalsPerRound): Promise<number> {
    const now = await clock.now();
    let looked = await tellOfRestore();
    for (const proposal of await findWaitingProposals(db, now, limit)) {
      try {
        await look(proposal);
        looked += 1;
      } catch (error) {
        const failure = error instanceof Error ? error.name : 'unknown';
        log.error({ owner: proposal.userId, failure }, 'A proposed address could not be looked at.');
        await changeProposal(db, proposal.id, { lookAt: new Date(now.getTime() + lookAgainMs) });
      }
    }
    return looked;
  };
}

function isAgreedTo({ status, answeredBy }: ProposalRow): boolean {
  return status === 'waiting' || answeredBy !== null;
}
