import { Readable } from 'node:stream';
import type { Database } from '#server/platform/db/database.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import type { ActivityFilter, activityFormats, getActivity } from '#shared/contract/activity.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { productSlug } from '#shared/product.ts';
import { csvLine } from './activity.csv.ts';
import { type ActivityQuery, type ActivityRow, listActivity } from './activity.repository.ts';
import { actionsOf, tellActivity, toldActions } from './activity.words.ts';

const pageSize = 50;
const downloadPageSize = 1_000;

export type ActivityPages = {
  /** A page of an owner's own log, the newest first. */
  list(
    userId: string,
    query: ActivityFilter & { before?: number | undefined },
  ): Promise<RouteAnswer<typeof getActivity>>;
  /** The same as a file, read page by page while it is sent. */
  download(userId: string, query: ActivityFilter & { format: (typeof activityFormats)[number] }): OutgoingStream;
};

/** What was done in an account, told to its owner. */
export function createActivityPages({ db }: { db: Database }): ActivityPages {
  async function* entriesOf(userId: string, filter: ActivityFilter) {
    let before: number | undefined;
    for (;;) {
      const rows = await listActivity(db, { ...queryOf(filter), userId, before, limit: downloadPageSize });
      yield* rows.map(told);
      if (rows.length < downloadPageSize) return;
      before = rows.at(-1)?.position;
    }
  }

  async function* csvOf(userId: string, filter: ActivityFilter) {
    yield csvLine(['When', 'What', 'About', 'Address', 'Device']);
    for await (const { at, words, kind, ipAddress, userAgent } of entriesOf(userId, filter)) {
      yield csvLine([at.toISOString(), words, kind, ipAddress ?? '', userAgent ?? '']);
    }
  }

  async function* jsonOf(userId: string, filter: ActivityFilter) {
    let isFirst = true;
    for await (const entry of entriesOf(userId, filter)) {
      yield `${isFirst ? '[' : ','}\n${JSON.stringify(entry)}`;
      isFirst = false;
    }
    yield isFirst ? '[]\n' : '\n]\n';
  }

  return {
    async list(userId, { before, ...filter }) {
      // One more than is shown tells whether there are more.
      const rows = await listActivity(db, { ...queryOf(filter), userId, before, limit: pageSize + 1 });
      const shown = rows.slice(0, pageSize);
      const next = rows.length > pageSize ? (shown.at(-1)?.position ?? null) : null;
      return { entries: shown.map(told), next };
    },

    download(userId, { format, ...filter }) {
      const isCsv = format === 'csv';
      return {
        name: `${productSlug}-activity.${format}`,
        mimeType: isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
        content: Readable.from(isCsv ? csvOf(userId, filter) : jsonOf(userId, filter), { objectMode: false }),
      };
    },
  };
}

function queryOf({ kind, from, to }: ActivityFilter): Omit<ActivityQuery, 'userId' | 'limit'> {
  return {
    from,
    to,
    actions: kind === undefined ? undefined : kind === 'other' ? { notIn: [...toldActions] } : { in: actionsOf(kind) },
  };
}

function told({ position, action, details, ipAddress, userAgent, createdAt }: ActivityRow) {
  return { position, at: createdAt, ...tellActivity(action, details), ipAddress, userAgent };
}
