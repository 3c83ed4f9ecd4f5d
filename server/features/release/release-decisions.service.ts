import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { createContactAnswers } from './contact-answers.service.ts';
import { createEarlyBrake } from './early-brake.service.ts';
import { earlyBudget } from './emergency.rules.ts';
import type { HealthKeeper } from './health.service.ts';
import { findInvitation } from './release.repository.ts';
import { opensRequest } from './release-cycle.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Engine } from './release-engine.service.ts';
import {
  contactCancels,
  contactConfirms,
  type EventResult,
  emergencyRequested,
  type Ignored,
  trusteePressed,
} from './release-events.rules.ts';
import type { Claim } from './release-scene.ts';
import type { Situation } from './release-situation.service.ts';

export type ContactAnswer = { tokenHash: string; confirmed: boolean; reason: string; origin: RequestOrigin };
/** An early release of an owner, asked for by or in the name of one of their contacts. */
export type EarlyRequest = {
  ownerId: string;
  contactId: string;
  reason?: string;
  claim?: Claim;
  origin: RequestOrigin;
};

export type Decisions = {
  decide(answer: ContactAnswer): Promise<'confirmed' | 'cancelled'>;
  requestEmergency(request: EarlyRequest): Promise<Ignored | null>;
  pressTrustee(request: EarlyRequest): Promise<Ignored | null>;
};

/** What trusted contacts say, and what follows from it at once. */
export function createDecisions(deps: ReleaseDependencies, engine: Engine, health: HealthKeeper): Decisions {
  const { db, clock, accounts } = deps;
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
      return act(tx, await engine.read(tx, ownerId, at), at);
    });
  }

  async function early(
    request: EarlyRequest,
    action: 'emergency_requested' | 'trustee_pressed',
    event: (situation: Situation, at: Date) => EventResult,
  ): Promise<Ignored | null> {
    return underLock(request.ownerId, async (tx, situation, at) => {
      if (!situation) return 'nothing_open';
      const { origin, reason, claim, contactId } = request;
      const result = event(situation, at);
      const isNew = opensRequest(situation.facts);
      const before = isNew ? await brake.requestsOf(tx, request.ownerId, at) : [];
      let ignored = result.ignored ?? (before.length >= earlyBudget.limit ? 'budget_spent' : null);
      if (!ignored && !(await health.allowStep(tx, { at, isBySilence: false })).isAllowed) ignored = 'frozen';
      if (ignored) {
        // A trustee reads it on the page; of a form, nobody can tell who filled it in.
        if (claim) await tellContact(tx, situation, { contactId, ignored, before, at });
        return ignored;
      }
      const words = { ...(reason === undefined ? {} : { reason }), ...(claim ? { claim } : {}) };
      const details = { contactId };
      const opened = isNew ? { earlyAt: at } : {};
      await engine.apply(tx, situation, at, { ...result, action, origin, details, ...opened, ...words });
      if (action === 'trustee_pressed') await brake.lookAt(tx, situation, { contactId, at });
      await engine.moveOn(tx, [request.ownerId], at);
      return null;
    });
  }

  return {
    async decide({ tokenHash, confirmed, reason, origin }) {
      const found = await findInvitation(db, tokenHash);
      if (!found) throw deadLink();

      return underLock(found.userId, async (tx, situation, at) => {
        const invitation = situation?.invitations.find(({ id }) => id === found.invitation.id);
        if (!situation || !invitation) throw deadLink();
        if (invitation.decision !== null) throw answered();
        if (invitation.withdrawnAt !== null) throw deadLink();

        const { contactId } = invitation;
        const event = confirmed
          ? contactConfirms(situation.facts, contactId)
          : contactCancels(situation.facts, contactId, situation.reading.mark);
        if (event.ignored) throw refusal(event.ignored);
        const decision = confirmed ? 'confirmed' : 'cancelled';
        const details = { contactId };
        await engine.apply(tx, situation, at, { ...event, action: decision, reason, origin, details });
        if (confirmed) await brake.lookAt(tx, situation, { contactId, at });
        await engine.moveOn(tx, [found.userId], at);
        return decision;
      });
    },

    requestEmergency: (request) =>
      early(request, 'emergency_requested', ({ facts }, at) =>
        emergencyRequested(facts, request.contactId, at.getTime()),
      ),
    pressTrustee: (request) =>
      early(request, 'trustee_pressed', ({ facts }, at) => trusteePressed(facts, request.contactId, at.getTime())),
  };
}

function refusal(ignored: Ignored): AppError {
  if (ignored === 'too_late') return new AppError('CONFLICT', 'The messages are on their way already.');
  if (ignored === 'already_decided') return answered();
  return deadLink();
}

function answered(): AppError {
  return new AppError('CONFLICT', 'You have answered already. Thank you.');
}

function deadLink(): AppError {
  return notFound('Invalid or expired access token');
}
