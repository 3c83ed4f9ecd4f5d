import { Readable } from 'node:stream';
import type { App } from '#server/app.ts';
import type { Call } from '#server/http/bind.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import type * as contract from '#shared/contract/activity.ts';
import { type ActivityFilter, activityPerPage } from '#shared/contract/activity.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { productSlug } from '#shared/product.ts';
import { csvLine } from './activity.csv.ts';
import { type ActivityQuery, type ActivityRow, listActivity } from './activity.repository.ts';
import { actionsOf, tellActivity, toldActions } from './activity.words.ts';

/** Owner whose log is read, and the entries of it. */
type Wanted = { userId: string; filter: ActivityFilter };

const downloadPageSize = 1_000;

/** Returns a page of the owner's log, the newest entry first. */
export async function getActivity(
  { db }: App,
  { principal: { userId }, query }: Call<typeof contract.getActivity>,
): Promise<RouteAnswer<typeof contract.getActivity>> {
  const { before, ...filter } = query;
  // One row more than a page tells if there are more.
  const rows = await listActivity(db, { ...queryOf(filter), userId, before, limit: activityPerPage + 1 });
  const shown = rows.slice(0, activityPerPage);
  const next = rows.length > activityPerPage ? (shown.at(-1)?.position ?? null) : null;
  return { entries: shown.map(told), next };
}

/** Returns the owner's log as a file, which is read page by page while it is sent. */
export function downloadActivity(app: App, call: Call<typeof contract.downloadActivity>): OutgoingStream {
  const { format, ...filter } = call.query;
  const isCsv = format === 'csv';
  const wanted = { userId: call.principal.userId, filter };
  return {
    name: `${productSlug}-activity.${format}`,
    mimeType: isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
    content: Readable.from(isCsv ? csvOf(app, wanted) : jsonOf(app, wanted), { objectMode: false }),
  };
}

async function* csvOf(app: App, wanted: Wanted) {
  yield csvLine(['When', 'What', 'About', 'Address', 'Device']);
  for await (const { at, words, kind, ipAddress, userAgent } of entriesOf(app, wanted)) {
    yield csvLine([at.toISOString(), words, kind, ipAddress ?? '', userAgent ?? '']);
  }
}

async function* jsonOf(app: App, wanted: Wanted) {
  let isFirst = true;
  for await (const entry of entriesOf(app, wanted)) {
    yield `${isFirst ? '[' : ','}\n${JSON.stringify(entry)}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}

async function* entriesOf({ db }: App, { userId, filter }: Wanted) {
  let before: number | undefined;
  for (;;) {
    const rows = await listActivity(db, { ...queryOf(filter), userId, before, limit: downloadPageSize });
    yield* rows.map(told);
    if (rows.length < downloadPageSize) return;
    before = rows.at(-1)?.position;
  }
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
