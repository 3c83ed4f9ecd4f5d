import { randomUUID } from 'node:crypto';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type AppError, notFound } from '#shared/contract/errors.ts';
import type { getNewAddress } from '#shared/contract/release/new-address.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createNewAddressMail } from './new-address.mail.service.ts';
import { newAddressPage } from './new-address.page.ts';
import {
  changeProposal,
  endProposal,
  findNextLookAt,
  insertProposal,
  listLiveProposals,
} from './new-address.repository.ts';
import { createRetries, type Retried, type RetriedOwner } from './new-address.retry.service.ts';
import {
  type AddressStep,
  aloneWaitDays,
  answerProposal,
  askAgainDays,
  isDeadLink,
  needsReview,
  proposeAddress,
} from './new-address.rules.ts';
import { type Acting, createAddressSending } from './new-address.send.service.ts';
import { createWaitedProposals } from './new-address.waiting.service.ts';
import { addressRefusal } from './new-address.words.ts';
import {
  type AddressScene,
  proposalContext,
  type ReleasesSeen,
  readAddressScene,
  sendsAtOf,
  type UnreachedLetter,
  type WhoseLink,
} from './new-address-scene.service.ts';

type Page = RouteAnswer<typeof getNewAddress>;
type Press = { token: string; letterId: string; address: string; origin: RequestOrigin };

export type NewAddresses = {
  /** Whom a release could not reach, for one contact. Changes nothing. @throws AppError NOT_FOUND for a dead link. */
  readNewAddress(token: string): Promise<Page>;
  /** @throws AppError NOT_FOUND for a dead link, CONFLICT where it cannot be taken, RATE_LIMITED. */
  proposeAddress(press: Press & { reason: string }): Promise<Page>;
  /** Agrees with another contact's proposal, refuses it, or takes back one's own. @throws AppError as `proposeAddress`. */
  answerProposal(press: Press & { agrees: boolean }): Promise<Page>;
  /**
   * For the operator: puts the refused letters of one owner on their way again, to the addresses that refused them; with
   * `agrees`, those that wait for the operator's word to the addresses that were proposed.
   */
  retry(owner: RetriedOwner): Promise<Retried>;
  /** Sends what has waited for its whole time. Gives how many proposals were looked at. */
  sendWaited(limit?: number): Promise<number>;
  /** When a proposal is to be looked at next; null where none is alive. */
  nextLookAt(): Promise<Date | null>;
};

/** One contact can press so often in an hour. */
const pressBudget = { limit: 20, windowMs: 3_600_000 };

type Step = Exclude<Extract<AddressStep, { step: string }>['step'], 'nothing'>;
/** Another address for somebody whom a release could not reach: proposed by one contact, agreed by another, and sent. */
export function createNewAddresses(deps: ReleaseDependencies, releases: ReleasesSeen): NewAddresses {
  const { db, clock, accounts, deliveries, spendBudget } = deps;
  const mail = createNewAddressMail(deps);
  const { record, tryAgain, send, agree, askForReview } = createAddressSending(deps, mail);

  /** The link and all it is about, of somebody who may look at it. */
  async function open(
    executor: Executor,
    link: (WhoseLink & { proposing?: string }) | null,
    at: Date,
  ): Promise<AddressScene> {
    const scene = link && (await readAddressScene(executor, { ...link, at }, { deps, releases }));
    if (!scene || isDeadLink(scene.facts)) throw dead();
    return scene;
  }

  /** Under the owner's lock: who came first is who locked first, and what they did is seen. */
  async function press(
    { token, letterId, address, origin }: Press,
    decide: (scene: AddressScene, letter: UnreachedLetter) => AddressStep,
    carryOut: (acting: Acting, step: Step) => Promise<void>,
  ): Promise<Page> {
    const link = await deliveries.newAddressLink(db, token);
    if (!link) throw dead();
    await spendBudget?.(`new address ${link.requestId} ${link.contactId}`, pressBudget);
    return db.transaction(async (tx) => {
      const request = await findRequest(tx, link.requestId);
      if (!request) throw dead();
      await accounts.lockOwner(tx, request.userId);
      const at = await clock.now(tx);
      const scene = await open(tx, { ...link, proposing: address }, at);
      const letter = scene.letters.find(({ unreached }) => unreached.deliveryId === letterId);
      if (!letter) throw notFound();
      const decided = decide(scene, letter);
      if ('refused' in decided) throw addressRefusal(decided.refused);
      if (decided.step === 'nothing') return newAddressPage(scene);
      await carryOut({ tx, scene, letter, origin }, decided.step);
      return newAddressPage(await open(tx, link, at));
    });
  }

  async function keepProposal(acting: Acting, step: Step, words: { address: string; reason: string }) {
    const { tx, scene, letter } = acting;
    const { at, owner, request, mark, facts } = scene;
    // One whose proposer is no contact any more makes room.
    for (const old of await listLiveProposals(tx, request.id)) {
      if (old.deliveryId === letter.unreached.deliveryId) await endProposal(tx, old.id, at);
    }
    const isAlone = step === 'wait';
    const id = randomUUID();
    const vault = await accounts.openVault(tx, owner.id);
    await insertProposal(tx, {
      id,
      userId: owner.id,
      requestId: request.id,
      deliveryId: letter.unreached.deliveryId,
      contactId: facts.contactId,
      address: vault.seal(proposalContext(id, 'address'), words.address),
      reason: vault.seal(proposalContext(id, 'reason'), words.reason),
      status: isAlone ? 'waiting' : 'proposed',
      createdAt: at,
      waitsFromHealthyMs: mark.healthyMs,
      asksSent: isAlone ? 0 : 1,
      lookAt: new Date(at.getTime() + (isAlone ? aloneWaitDays : askAgainDays) * dayMs),
    });
    await record(acting, 'proposed');
    const status = isAlone ? ('waiting' as const) : ('proposed' as const);
    const sendsAt = sendsAtOf(scene, { contactId: facts.contactId, address: words.address, status });
    const isReviewed = step !== 'ask_operator' && needsReview(facts, words.address);
    const told = { proposalId: id, byId: facts.contactId, sendsAt, isReviewed };
    await mail.tellOwner(tx, scene, { ...told, stage: status, agrees: whoAgrees(step) });
    if (step === 'ask_others') await mail.askOthers(tx, scene, { ...told, number: 0 });
    if (step === 'ask_operator') await mail.askOperator(tx, scene, id);
    if (isReviewed) await askForReview(acting);
    if (isAlone) {
      const soonest = new Date(at.getTime() + aloneWaitDays * dayMs);
      await deliveries.tryOnceMore(tx, { deliveryId: letter.unreached.deliveryId, key: id, sendsAt: soonest, at });
    }
  }

  async function refuse(acting: Acting): Promise<void> {
    const { tx, scene, letter } = acting;
    const { at, facts } = scene;
    if (!letter.proposal) throw new Error('Only what was proposed is refused.');
    await changeProposal(tx, letter.proposal.row.id, { status: 'refused', answeredBy: facts.contactId, endedAt: at });
    await record(acting, letter.proposal.by.id === facts.contactId ? 'taken_back' : 'refused');
  }

  return {
    async readNewAddress(token) {
      const link = await deliveries.newAddressLink(db, token);
      return newAddressPage(await open(db, link, await clock.now()));
    },

    proposeAddress: (given) =>
      press(
        given,
        ({ facts, at }, letter) => proposeAddress(facts, letter.facts, { address: given.address, now: at.getTime() }),
        (acting, step) => {
          if (step === 'send') return send(acting);
          if (step === 'agree') return agree(acting);
          return step === 'try_again' ? tryAgain(acting, given.address) : keepProposal(acting, step, given);
        },
      ),

    answerProposal: (given) =>
      press(
        given,
        ({ facts, at }, letter) => {
          const { address, agrees } = given;
          return answerProposal(facts, letter.facts, { address, agrees, now: at.getTime() });
        },
        (acting, step) => {
          if (step === 'send') return send(acting);
          return step === 'agree' ? agree(acting) : refuse(acting);
        },
      ),

    retry: createRetries(deps, { releases, tryAgain, send }),
    sendWaited: createWaitedProposals(deps, { releases, mail, send, askForReview }),
    nextLookAt: () => findNextLookAt(db),
  };
}

function whoAgrees(step: Step): 'contact' | 'operator' | null {
  if (step === 'ask_operator') return 'operator';
  return step === 'ask_others' ? 'contact' : null;
}

function dead(): AppError {
  return addressRefusal('dead_link');
}
