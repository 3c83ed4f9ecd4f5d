import { type App, perApp } from '#server/app.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { TriedRow } from './attempts.repository.ts';

/** Stored rows may have a kind of an earlier version, so any text can be asked for. */
type PerKind<Value> = { set(kind: MailKind, value: Value): void; get(kind: string): Value | undefined };
/** A kind, or the feature that its kinds begin with. */
type MailPrefix = MailKind | 'delivery.' | 'release.';

export type NotificationOutcome = {
  id: string;
  kind: MailKind;
  userId: string | null;
  subjectId: string | null;
  contactId: string | null;
  dedupeKey: string;
  /** Number of the owner's notice in this message. Null if there is none. */
  notice: number | null;
  channel: TriedRow['channel'];
  outcome: 'accepted' | 'bounced' | 'dead';
  /** True if it was given up and no server had named the mailbox as the reason. It says nothing of its recipient. */
  isTrouble: boolean;
  at: Date;
};

/** Runs in the transaction of the outcome, with the owner's row locked. If it throws, the outcome is recorded again later. */
export type OutcomeReaction = (tx: Executor, outcome: NotificationOutcome) => Promise<void>;

export type RefusedMail = { userId: string | null; subjectId: string | null; at: Date };
/** Called with the owner's row locked, in the transaction that records the refusal. */
export type RefusalReaction = (tx: Executor, refused: RefusedMail) => Promise<void>;

export type BouncedMail = {
  id: string;
  kind: MailKind;
  userId: string | null;
  subjectId: string | null;
  notice: number | null;
  /** The report counts as one of the three refusals that close a mailbox. */
  isOfMailbox: boolean;
  /** The report speaks of the mailbox, whether or not it counts yet. */
  isRefusal: boolean;
  /** The report is about our side, the message or the transport. */
  isTrouble: boolean;
  at: Date;
};

/**
 * Effect of a bounce on the mail.
 * - `try_again`: tried again and ended as after a refusal.
 * - `give_up`: obsolete, so never tried again.
 * - `keep`: still accepted, because it was read.
 */
export type AfterBounce = 'try_again' | 'give_up' | 'keep';

/** Undoes steps that depend on the acceptance. Called with the owner's row locked. */
export type BounceReaction = (tx: Executor, mail: BouncedMail) => Promise<AfterBounce>;

/**
 * Returns the present words of a mail, at every attempt, so that they are true after any wait. Null if the enqueued
 * words still hold.
 */
export type DepartureWriter = (
  executor: Executor,
  about: { userId: string | null; given: Readonly<Record<string, string>>; at: Date },
) => Promise<{ subject: string; html: string; text: string } | null>;

/** Functions of other features that follow from mails. `server/reactions.ts` fills it. */
export const mailReactionsOf = perApp(() => ({
  /** Called at the end of messages whose kind begins so, if their channel proves anything. */
  ended: [] as { kindPrefix: MailPrefix; react: OutcomeReaction }[],
  /** Called when an accepted mail came back. Kinds without a reaction are only recorded. */
  bounced: [] as { kindPrefix: MailPrefix; react: BounceReaction }[],
  /** Called when a mailbox has permanently refused a mail of this kind that is still tried. */
  refused: new Map<string, RefusalReaction>() as PerKind<RefusalReaction>,
  writers: new Map<string, DepartureWriter>() as PerKind<DepartureWriter>,
}));

export type Ended = {
  row: TriedRow;
  outcome: 'accepted' | 'bounced' | 'dead';
  at: Date;
  /** The last that was heard of it is no word about its mailbox. */
  isTrouble?: boolean;
};

/** Applies the consequences of an ended message, in the transaction that records it. */
export async function reactToEnd(app: App, tx: Executor, ended: Ended): Promise<void> {
  const { id, userId, subjectId, contactId, dedupeKey, notice, channel } = ended.row;
  const kind = ended.row.kind as MailKind;
  const { outcome, isTrouble = false, at } = ended;
  for (const { kindPrefix, react } of mailReactionsOf(app).ended) {
    if (!kind.startsWith(kindPrefix)) continue;
    await react(tx, { id, kind, userId, subjectId, contactId, dedupeKey, notice, channel, outcome, isTrouble, at });
  }
}
