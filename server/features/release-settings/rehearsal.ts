import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { releaseStops } from '#server/features/billing/release-stops/release-stops.ts';
import { previewLetterMail } from '#server/features/delivery/delivery.ts';
import { readersOf } from '#server/features/delivery/letter-readers.ts';
import { listReadyMessages } from '#server/features/messages/letters.ts';
import { countMessages } from '#server/features/messages/ready-messages.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { termsAtOpening, termsOf } from '#server/features/release-core/facts.rules.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/rehearsal.ts';
import { rehearsalLettersMax } from '#shared/contract/release/rehearsal.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { ownDayAt } from '#shared/rules/deliver-on.ts';
import { type LetterMail, ownDayMails, type RehearsedMail, rehearsalCopy, rehearsedMails } from './rehearsal.mail.ts';
import { rehearsalBudget, rehearse, roomFor } from './rehearsal.rules.ts';
import { getRelease, nowOf } from './release-overview.ts';

type Principal = { userId: string };

/** Returns a release as it would happen now: dates, people, letters and every email. Changes nothing. */
export async function getRehearsal(
  app: App,
  { principal }: { principal: Principal },
): Promise<RouteAnswer<typeof contract.getRehearsal>> {
  const { userId } = principal;
  const { loaded, letters, mails, leftOut } = await stage(app, userId);
  const { ready, problems, standing, timeline, isTexted } = await getRelease(app, { principal });
  const { world, contacts } = loaded;
  const { all } = await countMessages(app.db, userId);
  return {
    ready,
    problems,
    standing,
    timeline,
    isTexted,
    quorum: termsAtOpening(termsOf(world), world).needed,
    contacts: contacts.map(({ id, name, email, seesFirstWeeks }) => ({ id, name, email, seesFirstWeeks })),
    letters: letters
      .slice(0, rehearsalLettersMax)
      .map(({ id, title, recipientEmail, recipients, deliverOn, visibleToTrustedContact }) => ({
        id,
        title,
        recipientEmail,
        recipients,
        deliverOn,
        visibleToTrustedContact,
      })),
    lettersLeftOut: Math.max(0, letters.length - rehearsalLettersMax),
    copies: letters.reduce((sum, { recipients }) => sum + recipients.length, 0),
    otherMessages: all - letters.length,
    mails: mails.map(shown),
    mailsLeftOut: leftOut,
  };
}

/**
 * Sends each of those emails to the owner alone, marked and with links that do nothing.
 * @throws AppError `RATE_LIMITED` after three times in a day, `CONFLICT` if the address accepts no mail.
 */
export async function sendRehearsal(
  app: App,
  { principal: { userId }, origin }: { principal: Principal; origin: RequestOrigin },
): Promise<RouteAnswer<typeof contract.sendRehearsal>> {
  await app.limits.spend(`rehearsal of ${userId}`, rehearsalBudget);
  const { mails, leftOut } = await stage(app, userId);
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    if (!owner.emailVerified) {
      throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
    }
    const at = await app.clock.now(tx);
    const copies = mails.map(rehearsalCopy);
    for (const [index, mail] of copies.entries()) {
      await enqueueNotification(app, tx, {
        channel: 'email',
        kind: 'rehearsal.copy',
        userId,
        subjectId: userId,
        dedupeKey: `rehearsal:${userId}:${at.toISOString()}:${index}`,
        at,
        to: { address: owner.email },
        mail,
      });
    }
    // The owner pressed a button here, but said nothing about themselves: a rehearsal stops no release.
    const details = { mails: copies.length };
    const entry = { userId, action: 'release.rehearsed', resource: 'user', resourceId: userId };
    await recordAudit(app, tx, { ...entry, details, origin, at });
    return { sent: copies.length, leftOut, email: owner.email };
  });
}

/** Reads everything as a release would, and writes its mails. */
async function stage(app: App, userId: string) {
  const { db, baseUrl } = app;
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  const at = await app.clock.now();
  const loaded = await readWorld(app, db, owner, at);
  const letters = await listReadyMessages(app, db, userId);
  const letterMail: LetterMail = (given) => previewLetterMail(app, owner, given);
  const rehearsed = rehearse(loaded.world, nowOf(loaded, at));
  const release = rehearsed.find(({ step }) => step === 'letter');
  const releasedMs = release?.now.atMs ?? at.getTime();
  const byDay = Map.groupBy(letters, ({ deliverOn }) => ownDayAt(deliverOn, releasedMs));
  const endsPlan = await releaseStops.wouldStop(db, userId);
  const cast = { baseUrl, loaded, readers: readersOf(byDay.get(null) ?? []), letterMail, endsPlan };
  const days = [...byDay]
    .flatMap(([atMs, ofDay]) => {
      if (atMs === null) return [];
      const isFixed = ofDay.some(({ deliverOn }) => typeof deliverOn === 'string');
      return [{ atMs, isDated: isFixed || release?.isDated === true, readers: readersOf(ofDay) }];
    })
    .toSorted((one, other) => one.atMs - other.atMs);
  const onDays = release ? ownDayMails(cast, days) : [];
  return { loaded, letters, ...roomFor([...rehearsedMails(cast, rehearsed), ...onDays]) };
}

function shown({ step, at, to, mail }: RehearsedMail) {
  return { step, at, to, subject: mail.subject, text: mail.text };
}
