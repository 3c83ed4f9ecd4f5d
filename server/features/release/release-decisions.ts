import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { enqueueFormUses, formNotifiedAt } from '#server/features/release-mail/form-uses.ts';
import type { Claim, CommandContext } from '#server/features/release-state/command-context.ts';
import { findAsk } from '#server/features/release-state/release.repository.ts';
import { type LoadedWorld, lockWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { notifyRefusedContact } from './contact-answers.ts';
import { checkMailbox } from './early-brake.ts';
import { runCommand } from './release.ts';

/** Act of a contact by their link. */
export type ContactAct = { tokenHash: string; origin: RequestOrigin };
export type ContactAnswer = ContactAct & { token?: string; confirmed: boolean; reason: string };
/** Act of a contact without a link. */
export type TrusteeAct = { ownerId: string; contactId: string; origin: RequestOrigin };
/** An early release of an owner, asked for by or in the name of one of their contacts. */
export type EarlyRequest = TrusteeAct & { reason?: string; claim?: Claim };

/**
 * Records a contact's answer to the question whether to release.
 * @throws AppError `NOT_FOUND` for a void link, `CONFLICT` if it was answered, or if it is too late.
 */
export async function decideRelease(
  app: App,
  { tokenHash, token, confirmed, reason, origin }: ContactAnswer,
): Promise<'confirmed' | 'cancelled'> {
  await actByLink(app, tokenHash, (contactId) => ({
    command: { kind: 'answer', contactId, says: confirmed ? 'yes' : 'no' },
    reason,
    origin,
    link: token === undefined ? undefined : { contactId, token },
    check: confirmed ? mailboxCheck(app, contactId) : undefined,
  }));
  return confirmed ? 'confirmed' : 'cancelled';
}

/** Records a contact's answer that the owner is alive and can't answer. @throws AppError as `decideRelease`. */
export function answerAlive(app: App, { tokenHash, reason, origin }: ContactAct & { reason: string }): Promise<void> {
  return actByLink(app, tokenHash, (contactId) => ({
    command: { kind: 'answer', contactId, says: 'alive' },
    reason,
    origin,
  }));
}

/** Withdraws a yes, until the first letter has left. @throws AppError as `decideRelease`. */
export function withdrawYes(app: App, { tokenHash, origin }: ContactAct): Promise<void> {
  return actByLink(app, tokenHash, (contactId) => ({ command: { kind: 'take_back', contactId }, origin }));
}

/** "I did not ask": ends an emergency that was asked for in this contact's name. @throws AppError as `decideRelease`. */
export function denyRequest(app: App, { tokenHash, origin }: ContactAct): Promise<void> {
  return actByLink(app, tokenHash, (contactId) => ({ command: { kind: 'did_not_ask', contactId }, origin }));
}

/** Asks for an early release by the emergency form. Returns the reason for a refusal, or null. */
export function requestEmergency(app: App, request: EarlyRequest): Promise<Refusal | null> {
  const { ownerId, contactId, reason, claim, origin } = request;
  return underLock(app, ownerId, async (tx, loaded, at) => {
    if (!loaded) return 'nothing_open';
    const notifiedAt = await formNotifiedAt(tx, ownerId, at);
    const command = { kind: 'emergency' as const, contactId, isOwnerNotified: notifiedAt !== null };
    const refused = loaded.reading.isClockBehind
      ? 'frozen'
      : await runCommand(app, tx, loaded, { at, command, reason, claim, origin });
    // The form gives every caller the same answer, so the contact gets the reason by mail.
    if (refused && claim) await notifyRefusedContact(app, tx, loaded, { contactId, refused, at });
    if (!refused && notifiedAt) await enqueueFormUses(app, tx, { owner: loaded.owner, notifiedAt, refused, at });
    return refused;
  });
}

/** Asks for an early release as a trustee. Returns the reason for a refusal, or null. */
export function pressTrustee(app: App, { ownerId, contactId, reason, origin }: EarlyRequest): Promise<Refusal | null> {
  return underLock(app, ownerId, async (tx, loaded, at) => {
    if (!loaded) return 'nothing_open';
    if (loaded.reading.isClockBehind) return 'frozen';
    const command = { kind: 'trustee' as const, contactId };
    return runCommand(app, tx, loaded, { at, command, reason, origin, check: mailboxCheck(app, contactId) });
  });
}

/** Records a trustee's answer that the owner is alive and can't answer. Returns the reason for a refusal, or null. */
export function answerAliveAsTrustee(
  app: App,
  { ownerId, contactId, reason, origin }: TrusteeAct & { reason: string },
) {
  return underLock(app, ownerId, async (tx, loaded, at) => {
    const command = { kind: 'answer' as const, contactId, says: 'alive' as const, isByAccount: true as const };
    return loaded ? runCommand(app, tx, loaded, { at, command, reason, origin }) : 'nothing_open';
  });
}

/** Withdraws the yes of a contact who has an account, and perhaps no link. Returns the reason for a refusal, or null. */
export function withdrawTrustee(app: App, { ownerId, contactId, origin }: TrusteeAct): Promise<Refusal | null> {
  return underLock(app, ownerId, async (tx, loaded, at) => {
    const command = { kind: 'take_back' as const, contactId };
    return loaded ? runCommand(app, tx, loaded, { at, command, origin }) : 'nothing_open';
  });
}

/** Runs `act` under the owner's lock. The time is taken after it, so that it shows who came first. */
function underLock<Result>(
  app: App,
  ownerId: string,
  act: (tx: Executor, loaded: LoadedWorld | null, at: Date) => Promise<Result>,
): Promise<Result> {
  return app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, ownerId);
    const at = await app.clock.now(tx);
    return act(tx, await lockWorld(app, tx, { userId: ownerId, at }), at);
  });
}

/** Runs a command by a link, which must be the newest of its contact in an open request. */
async function actByLink(
  app: App,
  tokenHash: string,
  contextOf: (contactId: string) => Omit<CommandContext, 'at'>,
): Promise<void> {
  const found = await findAsk(app.db, tokenHash);
  if (!found) throw linkNotFound();
  const { contactId, notice } = found.ask;
  await underLock(app, found.request.userId, async (tx, loaded, at) => {
    const row = loaded?.rows.asks.find((ask) => ask.tokenHash === tokenHash);
    const open = loaded && (loaded.world.request ?? loaded.world.release?.request);
    if (!loaded || !row || !open) throw linkNotFound();
    const newest = open.asks.findLast((ask) => ask.contactId === contactId && !ask.isRevoked);
    // The answer that this very link gave is kept. An older link opens nothing.
    if (newest?.notice !== notice) throw linkNotFound();
    const refused = await runCommand(app, tx, loaded, { at, ...contextOf(contactId) });
    if (refused) throw refusal(refused);
  });
}

function mailboxCheck(app: App, contactId: string): CommandContext['check'] {
  return async (tx, loaded) => checkMailbox(app, tx, loaded, { contactId, at: await app.clock.now(tx) });
}

function refusal(refused: Refusal): AppError {
  if (refused === 'too_late') return new AppError('CONFLICT', 'The messages are on their way already.');
  if (refused === 'already_answered') return new AppError('CONFLICT', 'You have answered already. Thank you.');
  return linkNotFound();
}

function linkNotFound(): AppError {
  return notFound('Invalid or expired access token');
}
