import type { App } from '#server/app.ts';
import { pageOf, pagePdfOf } from '#server/features/first-weeks/first-weeks.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type * as contract from '#shared/contract/vault/first-weeks.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { canSeeFirstWeeks, type Opened } from './portal.facts.ts';
import { openPortal } from './portal.ts';

/** Copies of the page that one contact can make in a day. */
export const firstWeeksCopiesPerDayMax = 30;

/** Returns the page to a contact whom the owner chose. @throws AppError `NOT_FOUND` before the release and after its days. */
export async function getPortalFirstWeeks(
  app: App,
  { params: { token } }: Pick<HttpCall<typeof contract.getPortalFirstWeeks>, 'params'>,
): Promise<RouteAnswer<typeof contract.getPortalFirstWeeks>> {
  const { owner, contact } = await openForReader(app, token);
  return { ...(await pageOf(app, owner)), contactName: contact.name };
}

/** Returns the page as a PDF. @throws AppError as `getPortalFirstWeeks`, `RATE_LIMITED` or `UNAVAILABLE`. */
export async function copyPortalFirstWeeks(
  app: App,
  { params: { token }, reply }: HttpCall<typeof contract.copyPortalFirstWeeks>,
): Promise<OutgoingStream> {
  const signal = leftSignal(reply);
  const { owner, contact } = await openForReader(app, token);
  const budget = { limit: firstWeeksCopiesPerDayMax, windowMs: dayMs };
  await app.limits.spend(`first weeks for contact ${contact.id}`, budget);
  const content = await pagePdfOf(app, owner, { reader: contact.id, signal });
  return { name: 'The first weeks.pdf', mimeType: 'application/pdf', content };
}

async function openForReader(app: App, token: string): Promise<Opened> {
  const opened = await openPortal(app, token);
  if (!canSeeFirstWeeks(opened)) throw notFound();
  return opened;
}
