import type { Erasures } from '#server/features/deletion/erasure.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Anchors } from '#server/features/integrity/anchors.service.ts';
import type { ReadyChanges } from '#server/features/ready-changes/ready-changes.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { WritingQuestions } from '#server/features/writing-questions/writing-questions.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { failureNames } from '#server/platform/failure-names.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type NoticeKind, noticeKinds } from '#shared/rules/retention.ts';
import { giveRoundBack, takeRound } from './daily-round.repository.ts';
import type { Expiry } from './expiry.service.ts';
import type { Retention } from './retention.service.ts';

/** What has come to its end, removed; gives how much it was, and is called until that is nothing. */
export type Chore = () => Promise<number>;

type Dependencies = {
  db: Database;
  clock: Clock;
  releases: Pick<Releases, 'sendMendedLetters'>;
  erasures: Pick<Erasures, 'carryOutDue'>;
  retention: Retention;
  expiry: Expiry;
  files: Pick<Files, 'removeNameless'>;
  anchors: Anchors;
  writingQuestions: Pick<WritingQuestions, 'sendDue'>;
  readyChanges: ReadyChanges;
  log: { error(details: object, message: string): void };
};

/** After a round in which something failed, the next one begins this much later. */
const retryAfterMs = 3_600_000;
/**
 * A chore goes on the next day after so long, so that one can never hold up the others: all of them together stay within the
 * six hours in which a round has to end.
 */
const choreMs = 15 * 60_000;

/**
 * What is done once a day, by one worker: whatever has been kept for its time goes. Called often; it does nothing until
 * a day has passed. Each chore works in small transactions, so a round that is interrupted loses nothing.
 */
export function createDailyRound(dependencies: Dependencies): () => Promise<void> {
  const { db, clock, releases, erasures, retention, expiry, files, anchors, log } = dependencies;
  const { writingQuestions, readyChanges } = dependencies;

  /** It visits everybody at once; a second time would find the same people again. */
  async function visitOnce(kind: NoticeKind): Promise<number> {
    await retention.visitAll(kind);
    return 0;
  }
  /** It looks through the whole store. */
  async function removeNameless(): Promise<number> {
    await files.removeNameless();
    return 0;
  }
  async function anchorToday(): Promise<number> {
    await anchors.anchorToday();
    return 0;
  }
  const chores: [name: string, chore: Chore][] = [
    // First of all: what goes today is in it.
    ['anchor', anchorToday],
    ['letters that open again', () => releases.sendMendedLetters()],
    // Before what may take long: a stranger at an open session has to be noticed.
    ['changes of ready messages', () => readyChanges.sendDue()],
    ['erasures', () => erasures.carryOutDue()],
    ...expiry.records.map(({ kind, remove }): [string, Chore] => [kind, remove]),
    ['audit', () => expiry.pruneAudit()],
    ['files', removeNameless],
    ['questions to write from', () => writingQuestions.sendDue()],
    ...noticeKinds.map((kind): [string, Chore] => [kind, () => visitOnce(kind)]),
  ];

  /** Whether it came to its end. One that fails stops no other. */
  async function finish(name: string, chore: Chore): Promise<boolean> {
    try {
      const untilMs = performance.now() + choreMs;
      while ((await chore()) > 0 && performance.now() < untilMs);
      return true;
    } catch (error) {
      log.error({ chore: name, failure: failureNames(error) }, 'A daily chore failed.');
      return false;
    }
  }

  return async function dailyRound() {
    const at = await clock.now();
    if (!(await takeRound(db, at, new Date(at.getTime() - dayMs)))) return;
    let isWhole = true;
    for (const [name, chore] of chores) isWhole = (await finish(name, chore)) && isWhole;
    if (!isWhole) await giveRoundBack(db, new Date(at.getTime() - dayMs + retryAfterMs));
  };
}
