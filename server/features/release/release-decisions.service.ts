import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { enqueueFormUses, formNotifiedAt } from '#server/features/release-mail/form-uses.service.ts';
import type { Claim, Deed } from '#server/features/release-state/deed.ts';
import { findAsk } from '#server/features/release-state/release.repository.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { createContactAnswers } from './contact-answers.service.ts';
import { createEarlyBrake } from './early-brake.service.ts';
import type { Process } from './release.process.ts';

export type ContactAnswer = {
  tokenHash: string;
  token?: string;
  confirmed: boolean;
  reason: string;
  origin: RequestOrigin;
};
/** What a contact does by their link without saying more. */
export type ContactAct = { tokenHash: string; origin: RequestOrigin };
/** An early release of an owner, asked for by or in the name of one of their contacts. */
export type EarlyRequest = {
  ownerId: string;
  contactId: string;
  reason?: string;
  claim?: Claim;
  origin: RequestOrigin;
};

export type Decisions = {
  /** @throws AppError `NOT_FOUND` for a dead link, `CONFLICT` where it was answered, or it is too late. */
  decide(answer: ContactAnswer): Promise<'confirmed' | 'cancelled'>;
  /** Takes a yes back, until the first letter has left. @throws AppError as `decide`. */
  takeBack(act: ContactAct): Promise<void>;
  /** "I did not ask": ends an emergency that was asked for in this contact's name. @throws AppError as `decide`. */
  didNotAsk(act: ContactAct): Promise<void>;
  /** Gives why nothing came of it, or null. */
  requestEmergency(request: EarlyRequest): Promise<Refusal | null>;
  pressTrustee(request: EarlyRequest): Promise<Refusal | null>;
  /** Withdraws the yes of a contact who has an account, and perhaps no link. Gives why nothing came of it, or null. */
  withdrawTrustee(request: Pick<EarlyRequest, 'ownerId' | 'contactId' | 'origin'>): Promise<Refusal | null>;
};

/** What trusted contacts say, and what follows from it at once. */
export function createDecisions(deps: ReleaseDependencies, process: Process): Decisions {
  const { db, clock, accounts, baseUrl } = deps;
  const brake = createEarlyBrake(deps);
  const tellContact = createContactAnswers(deps);

  /** Runs `act` under the owner's lock; the time is taken after it, so that it tells who came first. */
  async function underLock<Result>(
    ownerId: string,
    act: (tx: Executor, situation: Situation | null, at: Date) => Promise<Result>,
  ): Promise<Result> {
    return db.transaction(async (tx) => {
      await accounts.lockOwner(tx, ownerId);
      const at = await clock.now(tx);
      return act(tx, await process.read(tx, ownerId, at), at);
    });
  }

  /** By a link, which must be the newest of its contact in a request that is open. */
  async function byLink(tokenHash: string, deed: (contactId: string) => Deed): Promise<void> {
    const found = await findAsk(db, tokenHash);
    if (!found) throw deadLink();
    const { contactId, notice } = found.ask;
    await underLock(found.request.userId, async (tx, situation, at) => {
      const row = situation?.rows.asks.find((ask) => ask.tokenHash === tokenHash);
      const open = situation && (situation.world.request ?? situation.world.release?.request);
      if (!situation || !row || !open) throw deadLink();
      const newest = open.asks.findLast((ask) => ask.contactId === contactId && !ask.isDead);
      // The answer that this very link gave is kept; an older link opens nothing.
      if (newest?.notice !== notice) throw deadLink();
      const refused = await process.act(tx, situation, at, deed(contactId));
      if (refused) throw refusal(refused);
    });
  }

  const lookAtMailbox = (contactId: string) => async (tx: Executor, situation: Situation) =>
    brake.lookAt(tx, situation, { contactId, at: await clock.now(tx) });

  async function early(request: EarlyRequest, kind: 'emergency' | 'trustee'): Promise<Refusal | null> {
    return underLock(request.ownerId, async (tx, situation, at) => {
      if (!situation) return 'nothing_open';
      const { origin, reason, claim, contactId } = request;
      const lookAt = kind === 'trustee' ? { lookAt: lookAtMailbox(contactId) } : {};
      const notifiedAt = kind === 'emergency' ? await formNotifiedAt(tx, request.ownerId, at) : null;
      const command: Deed['command'] =
        kind === 'emergency' ? { kind, contactId, isOwnerNotified: notifiedAt !== null } : { kind, contactId };
      const refused = situation.reading.isClockBehind
        ? 'frozen'
        : await process.act(tx, situation, at, { command, reason, claim, origin, ...lookAt });
      // A trustee reads it on the page; of a form, nobody can tell who filled it in.
      if (refused && claim) await tellContact(tx, situation, { contactId, refused, at });
      if (!refused && notifiedAt) {
        await enqueueFormUses(deps, tx, { owner: situation.owner, notifiedAt, refused, at, baseUrl });
      }
      return refused;
    });
  }

  return {
    async decide({ tokenHash, token, confirmed, reason, origin }) {
      const says = confirmed ? 'yes' : 'no';
      await byLink(tokenHash, (contactId) => ({
        command: { kind: 'answer', contactId, says },
        reason,
        origin,
        link: token === undefined ? undefined : { contactId, token },
        ...(confirmed ? { lookAt: lookAtMailbox(contactId) } : {}),
      }));
      return confirmed ? 'confirmed' : 'cancelled';
    },
    takeBack: ({ tokenHash, origin }) =>
      byLink(tokenHash, (contactId) => ({ command: { kind: 'take_back', contactId }, origin })),
    didNotAsk: ({ tokenHash, origin }) =>
      byLink(tokenHash, (contactId) => ({ command: { kind: 'did_not_ask', contactId }, origin })),
    requestEmergency: (request) => early(request, 'emergency'),
    pressTrustee: (request) => early(request, 'trustee'),
    withdrawTrustee: ({ ownerId, contactId, origin }) =>
      underLock(ownerId, async (tx, situation, at) => {
        const deed: Deed = { command: { kind: 'take_back', contactId }, origin };
        return situation ? process.act(tx, situation, at, deed) : 'nothing_open';
      }),
  };
}

function refusal(refused: Refusal): AppError {
  if (refused === 'too_late') return new AppError('CONFLICT', 'The messages are on their way already.');
  if (refused === 'already_answered') return new AppError('CONFLICT', 'You have answered already. Thank you.');
  return deadLink();
}

function deadLink(): AppError {
  return notFound('Invalid or expired access token');
}
