import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { LinkOfContact } from '#server/features/delivery/mails/contact-mails.ts';
import { findNewAddressOf, tryOnceMore } from '#server/features/delivery/unreached.ts';
import { findRequest } from '#server/features/release-state/release.repository.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { keepPrivate } from '#server/http/bodies/downloads.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/new-address.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { newAddressPage } from './new-address.page.ts';
import { changeProposal, insertProposal } from './new-address.repository.ts';
import {
  type AddressStep,
  aloneWaitDays,
  answerProposal,
  askAgainDays,
  isLinkExpired,
  needsReview,
  proposeAddress,
} from './new-address.rules.ts';
import { addressRefusal } from './new-address.words.ts';
import { askOperatorToDecide, askOthers, tellOwner } from './new-address-mails.ts';
import {
  type AddressScene,
  proposalContext,
  readAddressScene,
  sendsAtOf,
  type UnreachedLetter,
} from './new-address-scene.ts';
import {
  askForReview,
  endProposalsFor,
  keepAgreement,
  type LetterStep,
  recordAddressAction,
  sendToProposed,
  tryAgain,
} from './new-address-sending.ts';

/* Another address for an unreached recipient: one contact proposes it, another agrees, and the letter is sent. */

type Page = RouteAnswer<typeof contract.getNewAddress>;
type Press = { token: string; letterId: string; address: string; origin: RequestOrigin };
type Step = Exclude<Extract<AddressStep, { step: string }>['step'], 'nothing'>;

/** Number of presses of one contact in an hour. */
const pressBudget = { limit: 20, windowMs: 3_600_000 };

/** Returns the unreached recipients of a release, for one contact. Changes nothing. @throws AppError `NOT_FOUND`. */
export function getNewAddress(app: App, { params, reply }: HttpCall<typeof contract.getNewAddress>): Promise<Page> {
  keepPrivate(reply);
  return readNewAddress(app, params.token);
}

/** @throws AppError `NOT_FOUND` for an expired link, `CONFLICT` or `RATE_LIMITED`. */
export function proposeNewAddress(
  app: App,
  { params, body, origin, reply }: HttpCall<typeof contract.proposeNewAddress>,
): Promise<Page> {
  keepPrivate(reply);
  return proposeByLink(app, { token: params.token, ...body, origin });
}

/**
 * Agrees with another contact's proposal, refuses it, or withdraws the contact's own. @throws AppError as
 * `proposeNewAddress`.
 */
export function answerNewAddress(
  app: App,
  { params, body, origin, reply }: HttpCall<typeof contract.answerNewAddress>,
): Promise<Page> {
  keepPrivate(reply);
  return answerByLink(app, { token: params.token, ...body, origin });
}

export async function readNewAddress(app: App, token: string): Promise<Page> {
  const link = await findNewAddressOf(app, app.db, token);
  return newAddressPage(await openScene(app, app.db, link, await app.clock.now()));
}

export function proposeByLink(app: App, given: Press & { reason: string }): Promise<Page> {
  const { address } = given;
  return press(
    app,
    given,
    ({ facts, at }, letter) => proposeAddress(facts, letter.facts, { address, now: at.getTime() }),
    (context, step) => {
      if (step === 'send') return sendToProposed(app, context);
      if (step === 'agree') return keepAgreement(app, context);
      return step === 'try_again' ? tryAgain(app, context, address) : keepProposal(app, context, step, given);
    },
  );
}

export function answerByLink(app: App, given: Press & { agrees: boolean }): Promise<Page> {
  const { address, agrees } = given;
  return press(
    app,
    given,
    ({ facts, at }, letter) => answerProposal(facts, letter.facts, { address, agrees, now: at.getTime() }),
    (context, step) => {
      if (step === 'send') return sendToProposed(app, context);
      return step === 'agree' ? keepAgreement(app, context) : refuse(app, context);
    },
  );
}

/** Opens the link of a contact who may see it, with its letters. */
async function openScene(
  app: App,
  executor: Executor,
  link: (LinkOfContact & { proposing?: string }) | null,
  at: Date,
): Promise<AddressScene> {
  const scene = link && (await readAddressScene(app, executor, { ...link, at }));
  if (!scene || isLinkExpired(scene.facts)) throw linkNotFound();
  return scene;
}

/** Decides and acts under the owner's lock, so that of two parallel presses the second sees the effect of the first. */
async function press(
  app: App,
  { token, letterId, address, origin }: Press,
  decide: (scene: AddressScene, letter: UnreachedLetter) => AddressStep,
  act: (context: LetterStep, step: Step) => Promise<void>,
): Promise<Page> {
  const link = await findNewAddressOf(app, app.db, token);
  if (!link) throw linkNotFound();
  await app.limits.spend(`new address ${link.requestId} ${link.contactId}`, pressBudget);
  return app.db.transaction(async (tx) => {
    const request = await findRequest(tx, link.requestId);
    if (!request) throw linkNotFound();
    await lockOwnerRow(tx, request.userId);
    const at = await app.clock.now(tx);
    const scene = await openScene(app, tx, { ...link, proposing: address }, at);
    const letter = scene.letters.find(({ unreached }) => unreached.deliveryId === letterId);
    if (!letter) throw notFound();
    const decided = decide(scene, letter);
    if ('refused' in decided) throw addressRefusal(decided.refused);
    if (decided.step === 'nothing') return newAddressPage(scene);
    await act({ tx, scene, letter, origin }, decided.step);
    return newAddressPage(await openScene(app, tx, link, at));
  });
}

/** Stores a proposal, and notifies the owner, the other contacts and the operator. */
async function keepProposal(
  app: App,
  context: LetterStep,
  step: Step,
  { address, reason }: { address: string; reason: string },
): Promise<void> {
  const { tx, scene, letter } = context;
  const { at, owner, request, mark, facts } = scene;
  const { contactId } = facts;
  const { deliveryId } = letter.unreached;
  // A proposal of a former contact makes room.
  await endProposalsFor(context);
  const isAlone = step === 'wait';
  const status = isAlone ? 'waiting' : 'proposed';
  const id = randomUUID();
  const vault = await openVault(app, tx, owner.id);
  await insertProposal(tx, {
    id,
    userId: owner.id,
    requestId: request.id,
    deliveryId,
    contactId,
    address: vault.seal(proposalContext(id, 'address'), address),
    reason: vault.seal(proposalContext(id, 'reason'), reason),
    status,
    createdAt: at,
    waitsFromHealthyMs: mark.healthyMs,
    asksSent: isAlone ? 0 : 1,
    lookAt: new Date(at.getTime() + (isAlone ? aloneWaitDays : askAgainDays) * dayMs),
  });
  await recordAddressAction(app, context, 'proposed');
  const sendsAt = sendsAtOf(scene, { contactId, address, status });
  const isReviewed = step !== 'ask_operator' && needsReview(facts, address);
  const proposed = { proposalId: id, byId: contactId, sendsAt, isReviewed };
  await tellOwner(app, tx, scene, { ...proposed, stage: status, agrees: agreeingRole(step) });
  if (step === 'ask_others') await askOthers(app, tx, scene, { ...proposed, number: 0 });
  if (step === 'ask_operator') await askOperatorToDecide(app, tx, scene, id);
  if (isReviewed) await askForReview(app, context);
  if (isAlone) {
    const soonest = new Date(at.getTime() + aloneWaitDays * dayMs);
    await tryOnceMore(app, tx, { deliveryId, key: id, sendsAt: soonest, at });
  }
}

async function refuse(app: App, context: LetterStep): Promise<void> {
  const { tx, scene, letter } = context;
  const { at, facts } = scene;
  if (!letter.proposal) throw new Error('Only a proposed address can be refused.');
  await changeProposal(tx, letter.proposal.row.id, { status: 'refused', answeredBy: facts.contactId, endedAt: at });
  await recordAddressAction(app, context, letter.proposal.by.id === facts.contactId ? 'taken_back' : 'refused');
}

function agreeingRole(step: Step): 'contact' | 'operator' | null {
  if (step === 'ask_operator') return 'operator';
  return step === 'ask_others' ? 'contact' : null;
}

function linkNotFound() {
  return addressRefusal('expired_link');
}
