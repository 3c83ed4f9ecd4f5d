import type { Executor } from '#server/platform/db/database.ts';
import type { HealthKeeper } from './health.service.ts';
import type { NewAddressMail } from './new-address.mail.service.ts';
import { changeProposal, endProposal, findWaitingProposals, type ProposalRow } from './new-address.repository.ts';
import { waitedProposal } from './new-address.rules.ts';
import { type AddressScene, readAddressScene, type UnreachedLetter } from './new-address-scene.service.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';

const proposalsPerRound = 100;
/** A proposal whose time is over and that may not go is looked at again after so long. */
const lookAgainMs = 3_600_000;

type Parts = {
  health: HealthKeeper;
  mail: NewAddressMail;
  send(acting: { tx: Executor; scene: AddressScene; letter: UnreachedLetter }): Promise<void>;
};

/** Looks at proposals that wait for their time, each in a transaction of its own; one that fails stops no other. */
export function createWaitedProposals(deps: ReleaseDependencies, { health, mail, send }: Parts) {
  const { db, clock, accounts, log } = deps;

  async function look(found: ProposalRow): Promise<void> {
    await db.transaction(async (tx) => {
      await accounts.lockOwner(tx, found.userId);
      const at = await clock.now(tx);
      const scene = await readAddressScene(tx, { ...found, at }, { deps, health });
      const letter = scene?.letters.find(({ unreached }) => unreached.deliveryId === found.deliveryId);
      const proposal = letter?.proposal;
      // Read again under the lock: it may have been taken back, or sent by another worker.
      const isSame = proposal?.row.id === found.id && proposal.row.status === 'waiting';
      if (!scene || !letter || !proposal || !isSame) return endProposal(tx, found.id, at);

      const { remainingMs } = proposal;
      const step = waitedProposal(scene.facts, letter.facts, { remainingMs, now: at.getTime() });
      if (step === 'send') return send({ tx, scene, letter });
      if (step === 'end') return endProposal(tx, found.id, at);
      if (step === 'ask_others') {
        await changeProposal(tx, found.id, { status: 'proposed', waitsFromHealthyMs: null, lookAt: null });
        return mail.askOthers(tx, scene, { proposalId: found.id, byId: found.contactId });
      }
      const waitMs = remainingMs > 0 ? remainingMs : lookAgainMs;
      return changeProposal(tx, found.id, { lookAt: new Date(at.getTime() + waitMs) });
    });
  }

  return async function sendWaited(limit = proposalsPerRound): Promise<number> {
    const now = await clock.now();
    let looked = 0;
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
