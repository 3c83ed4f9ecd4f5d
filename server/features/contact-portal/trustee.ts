import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findTrusteeRole, type TrusteeRole } from '#server/features/contacts/trustee-role.ts';
import { trusteeshipsOf } from '#server/features/contacts/trustees.ts';
import { countMessages } from '#server/features/messages/ready-messages.ts';
import { answerAliveAsTrustee, pressTrustee, withdrawTrustee } from '#server/features/release/release-decisions.ts';
import { canPressAgainMs } from '#server/features/release-core/emergency.rules.ts';
import { isAway, waitEndsAtMs } from '#server/features/release-core/facts.rules.ts';
import { daysOfWait, missingOf } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import { dateOf } from '#server/features/release-state/release.rows.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Call } from '#server/http/bind.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/trustee.ts';
import { ownerInQuery } from '#shared/contract/release/trustee.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  aliveMessage,
  aliveRefusal,
  canSayAlive,
  canWithdraw,
  neededOf,
  type TrusteeState,
  triggeredMessage,
  triggerFromMs,
  triggerRefusal,
  trusteeState,
  withdrawalRefusal,
  withdrawnMessage,
} from './trustee.rules.ts';

type Summary = RouteAnswer<typeof contract.getTrusteeMessages>[number];
type Summarised = { summary: Summary; world: World; now: Mark };

/** Lists the owners whose trustee the caller is or was. This is no sign of life. */
export async function listTrusteeRelationships(
  app: App,
  { principal }: Call<typeof contract.listTrusteeRelationships>,
) {
  const rows = await trusteeshipsOf(app, app.db, principal.userId);
  return rows.map(({ ownerFirstName, ownerLastName, ownerEmail, relationship, ...row }) => ({
    ...row,
    ownerEmail: row.isActive && !ownerFirstName && !ownerLastName ? ownerEmail : '',
    ownerFirstName: ownerFirstName ?? '',
    ownerLastName: ownerLastName ?? '',
    trustedContactRelationship: relationship,
  }));
}

/** Returns counts of an owner's messages, without titles. @throws AppError `NOT_FOUND` if the caller is not this owner's trustee now. */
export async function getTrusteeMessages(
  app: App,
  { principal, query }: Call<typeof contract.getTrusteeMessages>,
): Promise<Summary[]> {
  const ownerUserId = ownerInQuery(query);
  if (ownerUserId === null) throw new AppError('VALIDATION', 'Invalid input');
  const { owner, role } = await open(app, principal.userId, ownerUserId);
  return [(await summarise(app, owner, role)).summary];
}

/**
 * Counts as the confirmation of the trustee's contact.
 * @throws AppError `NOT_FOUND` if the caller is not this owner's trustee now, `REAUTHENTICATION_REQUIRED`, or `CONFLICT` if the
 * press can start nothing.
 */
export async function triggerRelease(
  app: App,
  { principal, params, origin }: Call<typeof contract.triggerRelease>,
): Promise<RouteAnswer<typeof contract.triggerRelease>> {
  const { owner, role } = await open(app, principal.userId, params.ownerUserId);
  await requireFreshSignIn(app, principal);
  if (!role.mailboxProvenAt) throw mailboxUnproven();
  const firstName = owner.firstName || owner.email;
  // The release counts the contact's days, and this function those of the trustee's account.
  const before = await summarise(app, owner, role);
  if (before.summary.triggerFrom) throw triggerRefusal('contact_too_new', firstName);
  const refused = await pressTrustee(app, { ownerId: owner.id, contactId: role.contactId, origin });
  if (refused) {
    const againMs = canPressAgainMs(before.world, role.contactId, before.now);
    throw triggerRefusal(refused, firstName, againMs === null ? null : longDate(new Date(againMs)));
  }

  const { summary, world, now } = await summarise(app, owner, role);
  const { release } = summary;
  const waitingDays = world.request ? daysOfWait(world, world.request, now) : 0;
  // Until our notice has reached the owner's mailbox the days have not begun.
  const until = release.waitsUntil
    ? longDate(new Date(release.waitsUntil))
    : `${longDate(new Date(now.atMs + waitingDays * dayMs))} at the earliest`;
  const message = triggeredMessage({ ...release, firstName, waitingDays, until });
  return { ok: true, released: release.state === 'released', message };
}

/** Withdraws the trustee's yes. @throws AppError `NOT_FOUND` as above, `CONFLICT` if a letter has left or there is no yes. */
export async function withdrawConfirmation(
  app: App,
  { principal, params, origin }: Call<typeof contract.withdrawConfirmation>,
): Promise<RouteAnswer<typeof contract.withdrawConfirmation>> {
  const { owner, role } = await open(app, principal.userId, params.ownerUserId);
  const { contactId } = role;
  const refused = await withdrawTrustee(app, { ownerId: owner.id, contactId, origin });
  if (refused) throw withdrawalRefusal(refused);
  return { ok: true, message: withdrawnMessage };
}

/** Records that the owner is alive and can't answer. @throws AppError `NOT_FOUND` as above, `CONFLICT` if nothing is asked. */
export async function sayAliveAsTrustee(
  app: App,
  { principal, params, body: { reason }, origin }: Call<typeof contract.sayAliveAsTrustee>,
): Promise<RouteAnswer<typeof contract.sayAliveAsTrustee>> {
  const { owner, role } = await open(app, principal.userId, params.ownerUserId);
  const { contactId } = role;
  const refused = await answerAliveAsTrustee(app, { ownerId: owner.id, contactId, reason, origin });
  if (refused) throw aliveRefusal(refused);
  return { ok: true, message: aliveMessage(owner.firstName || owner.email) };
}

/** Finds the owner and the trustee's contact. A removed or inactive contact gives no access. */
async function open({ db }: App, userId: string, ownerUserId: string) {
  const role = await findTrusteeRole(db, { trusteeUserId: userId, ownerUserId });
  const owner = role && (await findOwner(db, ownerUserId));
  if (!role || !owner) throw notFound();
  return { role, owner };
}

async function summarise(
  app: App,
  owner: OwnerRow,
  { contactId, since, mailboxProvenAt }: TrusteeRole,
): Promise<Summarised> {
  const at = await app.clock.now();
  const { world, reading } = await readWorld(app, app.db, owner, at);
  const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
  const self = world.contacts.find(({ id }) => id === contactId);
  if (!self) throw notFound();

  const { all, ready } = await countMessages(app.db, owner.id);
  const state = trusteeState(world, contactId);
  const ofAccount = [since, mailboxProvenAt].flatMap((each) => (each ? [each.getTime()] : []));
  const summary: Summary = {
    messageCount: all,
    readyCount: ready,
    release: {
      state,
      quorum: neededOf(world),
      missing: missingFor(world, state),
      waitsUntil: state === 'waiting_time' ? dateOf(waitEndsAtMs(world, now)) : null,
      canWithdraw: canWithdraw(world, contactId, now),
      canSayAlive: canSayAlive(world, contactId, now),
    },
    triggerFrom: dateOf(triggerFromMs(world, { contact: self, accountMs: ofAccount }, now)),
    awayUntil: isAway(world, now) ? dateOf(world.owner.awayUntilMs) : null,
  };
  return { summary, world, now };
}

/** Contacts who must still confirm. A trustee who has not confirmed does not see how many others have. */
function missingFor(world: World, state: TrusteeState): number {
  if (state === 'none') return neededOf(world);
  const request = world.request ?? world.release?.request;
  return request && state !== 'released' ? missingOf(world, request) : 0;
}

function mailboxUnproven(): AppError {
  return new AppError('CONFLICT', 'First show that the mailbox of your account is yours. We send you a link for it.');
}
