import { randomUUID } from 'node:crypto';
import { newToken } from '#server/platform/crypto/token.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { HaltCounts } from './release.emails.ts';
import { updateInvitation, withdrawInvitations } from './release.repository.ts';
import { liveInvitation } from './release-answers.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Effect } from './release-events.rules.ts';
import type { Sent } from './release-facts.rules.ts';
import { contactsWhoHeard, contactsWhoHeardOfQuestion } from './release-heard.service.ts';
import {
  askedAgainKind,
  askedKind,
  askedMail,
  holdingKind,
  lastReminderKind,
  mailKey,
  questionKinds,
} from './release-keys.rules.ts';
import { createReleaseMail } from './release-mail.service.ts';
import { endProposals } from './release-proposals.repository.ts';
import { restartWindows } from './release-proposals.service.ts';
import type { Scene } from './release-scene.ts';

type TellContacts = Extract<Effect, { kind: 'tell_contacts' }>;
type LinkOf = { contactId: string; round: number; tries: number };

export type Effects = { carryOut(scene: Scene, effects: readonly Effect[]): Promise<void> };

/** These read or change rows as they go along; what was gathered before them must be there. */
const atOnce: ReadonlySet<Effect['kind']> = new Set([
  'record_decision',
  'withdraw_links',
  'withdraw_link',
  'withdraw_reminder',
  'withdraw_holding_notice',
  'cancel_notifications',
  'create_deliveries',
  'halt_deliveries',
  'end_question',
]);

/** Carries out what the rules decided: rows, links and mails, all in the caller's transaction. */
export function createEffects(deps: ReleaseDependencies): Effects {
  const { hashToken, accounts, deliveries, messages, notifications } = deps;

  /** A link is known by its hash only; its token stands in one mail and nowhere else. */
  async function invite(scene: Scene, contactId: string): Promise<string> {
    const { tx, writes, cycle, cycleId, at, invitations } = scene;
    const { round } = cycle;
    const token = newToken();
    const link = { tokenHash: hashToken(token), createdAt: at, tries: liveInvitation(cycle, contactId)?.tries ?? 0 };
    const before = invitations.find((each) => each.contactId === contactId && each.round === round);
    // Somebody who left the role and came back: the new link takes the place of the old.
    const unanswered = { askOutcome: null, askEndedAt: null, decision: null, decidedAt: null, reason: null };
    if (before) await updateInvitation(tx, before.id, { ...link, withdrawnAt: null, ...unanswered });
    else writes.invitation({ id: randomUUID(), cycleId, contactId, round, ...link });
    return token;
  }

  /** Takes back what one contact was sent and has not left yet; what is handed over already comes with a dead link. */
  async function withdrawLink({ tx, at, cycleId, invitations }: Scene, of: LinkOf): Promise<void> {
    const { contactId, round, tries } = of;
    const row = invitations.find((each) => each.contactId === contactId && each.round === round);
    if (row) await updateInvitation(tx, row.id, { withdrawnAt: at });
    const key = { cycleId, what: askedMail, round, tries, personId: contactId };
    const dedupeKeys = (['email', 'sms'] as const).map((channel) => mailKey({ ...key, channel }));
    await notifications.cancelMessages(tx, dedupeKeys);
  }

  async function recordDecision(scene: Scene, contactId: string, decision: 'confirmed' | 'cancelled'): Promise<void> {
    const { tx, writes, at, owner, cycle, cycleId, invitations, reason } = scene;
    const known = invitations.find((each) => each.contactId === contactId && each.round === cycle.round);
    const id = known?.id ?? randomUUID();
    const vault = reason === undefined ? null : await accounts.openVault(tx, owner.id);
    const place = { table: 'release_invitations', column: 'reason', rowId: id };
    // In a vault that is damaged there is no place for a reason; what was decided counts without it.
    const sealed = vault && unlessBroken(() => vault.seal(place, reason ?? ''));
    if (known) return updateInvitation(tx, id, { decision, decidedAt: at, reason: sealed, withdrawnAt: null });
    // A trustee acts from their own account; the row needs a hash that no token has.
    const tokenHash = hashToken(newToken());
    const ids = { id, cycleId, contactId, round: cycle.round, tokenHash };
    writes.invitation({ ...ids, createdAt: at, decision, decidedAt: at, reason: sealed });
  }

  async function everybodyToTell(scene: Scene, effect: TellContacts): Promise<readonly string[]> {
    const { tx, cycleId, cycle, contacts } = scene;
    if (!effect.andWhoHeard) return effect.contactIds;
    const heard = await contactsWhoHeard(tx, { cycleId, state: cycle.state }, contacts);
    return [...new Set([...effect.contactIds, ...heard])];
  }

  async function createDeliveries({ tx, at, owner, cycleId }: Scene): Promise<void> {
    const letters = await messages.lettersToSend(tx, owner.id);
    await deliveries.createFor(tx, { userId: owner.id, cycleId, at, messages: letters.whole });
    // One that is damaged keeps nobody else from theirs; it goes when it is mended.
    if (letters.damaged.length > 0) await deliveries.holdBack(tx, { owner, cycleId, at, messageIds: letters.damaged });
  }

  return {
    async carryOut(scene, effects) {
      const { tx, writes, at, cycleId } = scene;
      const mail = createReleaseMail(deps, scene);
      let halted: HaltCounts | null = null;

      for (const effect of effects) {
        if (atOnce.has(effect.kind)) await writes.flush();
        switch (effect.kind) {
          case 'nudge_owner':
            mail.nudge(effect.sequence);
            break;
          case 'remind_owner':
            mail.remind(effect.which);
            break;
          case 'tell_owner':
            mail.tellOwner(effect, halted);
            break;
          case 'tell_of_restore':
            mail.tellOfRestore(effect.restore);
            break;
          case 'ask_contacts':
          case 'ask_after_restore':
            for (const contactId of effect.contactIds) mail.ask(contactId, await invite(scene, contactId), effect);
            break;
          case 'tell_contacts':
            for (const contactId of await everybodyToTell(scene, effect)) {
              mail.tellContact({ ...effect, sent: effect.sent ?? sentOf(halted) }, contactId);
            }
            break;
          case 'tell_who_heard_of_question':
            for (const { contactId, tries } of await contactsWhoHeardOfQuestion(tx, cycleId)) {
              // Of one question somebody hears once that it was not the owner, however often that is said.
              mail.tellContact({ about: 'not_owner', tries, sent: 'some' }, contactId);
            }
            break;
          case 'record_decision':
            await recordDecision(scene, effect.contactId, effect.decision);
            break;
          case 'withdraw_links':
            await withdrawInvitations(tx, cycleId, at);
            // What has not left yet would arrive with a link that opens nothing.
            await notifications.cancelFor(tx, cycleId, [askedKind, askedAgainKind]);
            break;
          case 'withdraw_link':
            await withdrawLink(scene, effect);
            break;
          case 'withdraw_reminder':
            await notifications.cancelFor(tx, cycleId, [lastReminderKind]);
            break;
          case 'withdraw_holding_notice':
            await notifications.cancelFor(tx, cycleId, [holdingKind]);
            break;
          case 'cancel_notifications':
            await notifications.cancelFor(tx, cycleId);
            break;
          case 'create_deliveries':
            await createDeliveries(scene);
            break;
          case 'halt_deliveries':
            // First of all, so that not one more letter leaves meanwhile.
            halted = await deliveries.haltCycle(tx, { owner: scene.owner, cycleId, at, isBack: effect.isBack });
            await endProposals(tx, cycleId, at);
            break;
          case 'end_question':
            await notifications.cancelFor(tx, cycleId, questionKinds);
            await restartWindows(tx, notifications, { userId: scene.owner.id, at });
            await notifications.letGo(tx, { userId: scene.owner.id, at });
            break;
        }
      }
    },
  };
}

function sentOf(halted: HaltCounts | null): Sent {
  if (!halted || (halted.sent === 0 && halted.mayArrive === 0)) return 'nothing';
  return halted.sent > 0 ? 'some' : 'may_arrive';
}
