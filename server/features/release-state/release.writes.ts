import type { App } from '#server/app.ts';
import { type AuditEntry, recordAudits } from '#server/features/audit/record.ts';
import { enqueueNotifications } from '#server/features/notifications/enqueue.ts';
import type { NewNotification } from '#server/features/notifications/notifications.messages.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type CheckInLinkRow, insertCheckInLinks } from './checkin-links.repository.ts';
import { writeAnswers, writeAsks, writeNotices, writeRequests, writeSilences } from './release.repository.ts';
import type { AnswerRow, AskRow, NoticeRow, RequestRow, SilenceRow } from './release.rows.ts';
import { moveOwners, noteRestarts } from './release-owners.repository.ts';

/**
 * Buffered writes of steps: the steps of fifty owners take as many statements as those of one. A caller that reads or
 * changes the rows itself calls `flush` first. Each function returns the row as it will be stored.
 */
export type Writes = {
  silence(row: SilenceRow): SilenceRow;
  request(row: RequestRow): RequestRow;
  notice(row: NoticeRow): NoticeRow;
  ask(row: AskRow): AskRow;
  answer(row: AnswerRow): AnswerRow;
  checkInLink(row: CheckInLinkRow): void;
  mail(message: NewNotification): void;
  entry(entry: AuditEntry): void;
  /** Notice that all letters of an owner wait for after a restore. Null if none waits any more. */
  restart(userId: string, notice: number | null): void;
  /** Sets the time of an owner's next visit. */
  visitAt(userId: string, at: Date): void;
  flush(): Promise<void>;
};

/** Transaction of a step, its time, and its buffered writes. */
export type Writing = { tx: Executor; writes: Writes; at: Date };

/** Runs `work` with a buffer of writes, and stores what it buffered. */
export async function withWrites<Result>(
  app: App,
  { tx, at }: Pick<Writing, 'tx' | 'at'>,
  work: (writing: Writing) => Promise<Result>,
): Promise<Result> {
  const writes = bufferWrites(app, tx);
  const result = await work({ tx, writes, at });
  await writes.flush();
  return result;
}

function bufferWrites(app: App, tx: Executor): Writes {
  const silences = new Map<string, SilenceRow>();
  const requests = new Map<string, RequestRow>();
  const notices = new Map<string, NoticeRow>();
  const asks = new Map<string, AskRow>();
  const answers = new Map<string, AnswerRow>();
  const restarts = new Map<string, number | null>();
  const nextSteps = new Map<string, Date>();
  const links: CheckInLinkRow[] = [];
  const mails: NewNotification[] = [];
  const entries: AuditEntry[] = [];

  return {
    silence: (row) => kept(silences, row.id, row),
    request: (row) => kept(requests, row.id, row),
    notice: (row) => kept(notices, `${row.userId} ${row.number}`, row),
    ask: (row) => kept(asks, `${row.userId} ${row.notice}`, row),
    answer: (row) => kept(answers, row.id, row),
    checkInLink: (row) => void links.push(row),
    mail: (message) => void mails.push(message),
    entry: (entry) => void entries.push(entry),
    restart: (userId, notice) => void restarts.set(userId, notice),
    visitAt: (userId, at) => void nextSteps.set(userId, at),

    async flush() {
      // Ended rows are written first, because an owner has at most one open silence and one open request.
      await writeSilences(tx, endedFirst(drained(silences)));
      await writeRequests(tx, endedFirst(drained(requests)));
      await writeNotices(tx, drained(notices));
      await writeAsks(tx, drained(asks));
      await writeAnswers(tx, drained(answers));
      await noteRestarts(tx, restarts);
      restarts.clear();
      await moveOwners(tx, nextSteps);
      nextSteps.clear();
      await insertCheckInLinks(tx, links.splice(0));
      await enqueueNotifications(app, tx, mails.splice(0));
      await recordAudits(app, tx, entries.splice(0));
    },
  };
}

function kept<Row>(map: Map<string, Row>, key: string, row: Row): Row {
  map.set(key, row);
  return row;
}

function drained<Row>(map: Map<string, Row>): Row[] {
  const rows = [...map.values()];
  map.clear();
  return rows;
}

function endedFirst<Row extends { closedAt: Date | null }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => Number(one.closedAt === null) - Number(other.closedAt === null));
}
