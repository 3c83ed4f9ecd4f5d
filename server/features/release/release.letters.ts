import type { WaitingLetter } from '#server/features/release-core/model.rules.ts';
import { otherAddressKind } from '#server/features/release-health/address-proposal-kinds.ts';
import { endAskingForAddresses, restartWindows } from '#server/features/release-health/address-proposals.service.ts';
import type { Happened as Step } from '#server/features/release-mail/release.notify.ts';
import { requestOf } from '#server/features/release-mail/release.notify.ts';
import type { HaltCounts } from '#server/features/release-mail/release-return.emails.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Writes } from '#server/features/release-state/release.writes.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { noteMailboxes } from './early-review.service.ts';

type Place = { tx: Executor; writes: Writes; at: Date };
type Happened = Pick<Step, 'before' | 'after' | 'events' | 'deed'>;

/**
 * Does with letters and mails what has happened: puts letters on their way, lets go what was held, takes back what must
 * not leave. Gives what was taken back of letters, or null where none were on their way.
 */
export function createLetters({ deliveries, messages, notifications, hashToken }: ReleaseDependencies) {
  async function carryOut(place: Place, { before, after, events, deed }: Happened): Promise<HaltCounts | null> {
    const { tx, writes, at } = place;
    const { owner } = after;
    const withdrawn = events.flatMap((event) => {
      if (event.kind === 'notice_withdrawn') return [event.notice];
      // A text with an earlier link that still waits would open nothing.
      const asks = event.kind === 'contact_asked' ? (requestOf(before)?.asks ?? []) : [];
      return asks
        .filter(({ contactId }) => 'contactId' in event && contactId === event.contactId)
        .map(({ notice }) => notice);
    });
    if (withdrawn.length > 0) {
      await writes.flush();
      await notifications.cancelNotices(tx, owner.id, withdrawn);
    }
    let halted: HaltCounts | null = null;
    if (events.some(({ kind }) => kind === 'released' || kind === 'request_ended')) await withdrawMail(place, before);
    for (const event of events) {
      if (event.kind === 'released') await putOnTheirWay(place, after, event.later);
      if (event.kind === 'letters_due') {
        await writes.flush();
        await deliveries.sendOnDay(tx, { owner, recipientIds: event.letters, at });
      }
      if (event.kind === 'question_ended' || event.kind === 'letters_let_go') await letGo(place, owner.id);
      if (event.kind === 'release_undone' || (event.kind === 'release_closed' && event.takesBack)) {
        const requestId = before.rows.request?.id ?? after.rows.request?.id;
        if (!requestId) throw new Error('What is taken back had been put on its way.');
        await writes.flush();
        const isBack = event.kind === 'release_closed' && deed?.command.kind !== 'close';
        halted = await deliveries.haltRelease(tx, { owner, requestId, at, isBack });
        await endAskingForAddresses(tx, notifications, { requestId, at });
      } else if (event.kind === 'release_closed') {
        const requestId = before.rows.request?.id;
        if (requestId) await endAskingForAddresses(tx, notifications, { requestId, at });
        await letGo(place, owner.id);
      }
    }
    return halted;
  }

  /** Withdraws the mail to another address of the owner: what it announces happens now, or never. */
  async function withdrawMail({ tx, writes }: Place, { rows }: Situation): Promise<void> {
    if (rows.request?.cause !== 'silence') return;
    await writes.flush();
    await notifications.cancelFor(tx, rows.request.id, [otherAddressKind]);
  }

  async function putOnTheirWay(
    { tx, writes, at }: Place,
    { owner, rows }: Situation,
    later: readonly WaitingLetter[],
  ): Promise<void> {
    if (!rows.request) throw new Error('Letters leave because of a request.');
    const { id: requestId, releaseNumber } = rows.request;
    await writes.flush();
    const { whole, damaged } = await messages.lettersToSend(tx, owner.id);
    const days = new Map(later.map(({ id, dueAtMs }) => [id, new Date(dueAtMs)]));
    const letters = whole.map((letter) => ({ ...letter, dueAt: days.get(letter.recipientId) ?? null }));
    await deliveries.createFor(tx, { userId: owner.id, requestId, releaseNumber, at, letters });
    const addresses = letters.map(({ email }) => email);
    await noteMailboxes({ hashToken }, { tx, at }, { request: rows.request, addresses });
    // One that is damaged keeps nobody else from theirs; it goes when it is mended.
    if (damaged.length > 0) await deliveries.holdBack(tx, { owner, requestId, at, letters: damaged });
  }

  /** What was held leaves, and windows of proposals begin anew. */
  async function letGo({ tx, writes, at }: Place, userId: string): Promise<void> {
    await writes.flush();
    await restartWindows(tx, notifications, { userId, at });
    await notifications.letGo(tx, { userId, at });
  }

  return carryOut;
}
