import type { AuditEntry } from '#server/features/audit/audit.service.ts';
import type { NewNotification } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type CheckInLinkRow, insertCheckInLinks } from './checkin-links.repository.ts';
import { writeAnswers, writeAsks, writeNotices, writeRequests, writeSilences } from './release.repository.ts';
import type { AnswerRow, AskRow, NoticeRow, RequestRow, SilenceRow } from './release.rows.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { moveOwners, noteRestarts } from './release-owners.repository.ts';

/**
 * What steps write, gathered and written at once: the steps of fifty owners take as many statements as those of one. Whoever
 * is about to read or change rows themselves calls `flush` first. Each gives the row as it will stand.
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
  /** The notice behind which all letters of an owner wait after a restore; null where none does any more. */
  restart(userId: string, notice: number | null): void;
  /** When an owner is looked at next. */
  lookAt(userId: string, at: Date): void;
  flush(): Promise<void>;
};

type WritesDependencies = {
  notifications: Pick<ReleaseDependencies['notifications'], 'enqueueAll'>;
  audit: Pick<ReleaseDependencies['audit'], 'recordAll'>;
};

/** For one transaction. What is not flushed by its end was never said. */
export function createWrites({ notifications, audit }: WritesDependencies, tx: Executor): Writes {
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
    lookAt: (userId, at) => void nextSteps.set(userId, at),

    async flush() {
      // What has ended makes room for what begins: an owner has one open silence, and one open request.
      await writeSilences(tx, endedFirst(emptied(silences)));
      await writeRequests(tx, endedFirst(emptied(requests)));
      await writeNotices(tx, emptied(notices));
      await writeAsks(tx, emptied(asks));
      await writeAnswers(tx, emptied(answers));
      await noteRestarts(tx, restarts);
      restarts.clear();
      await moveOwners(tx, nextSteps);
      nextSteps.clear();
      await insertCheckInLinks(tx, links.splice(0));
      await notifications.enqueueAll(tx, mails.splice(0));
      await audit.recordAll(tx, entries.splice(0));
    },
  };
}

function kept<Row>(map: Map<string, Row>, key: string, row: Row): Row {
  map.set(key, row);
  return row;
}

function emptied<Row>(map: Map<string, Row>): Row[] {
  const rows = [...map.values()];
  map.clear();
  return rows;
}

function endedFirst<Row extends { closedAt: Date | null }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => Number(one.closedAt === null) - Number(other.closedAt === null));
}
