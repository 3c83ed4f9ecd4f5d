import type { App } from '#server/app.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { HttpCall } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/accounts.ts';
import { endSessionOfToken } from './sessions.ts';
import { type Exchange, signInCookiesOf } from './sign-in-cookies.ts';

export async function logout(app: App, call: HttpCall<typeof contract.logout>) {
  await endBrowserSession(app, call);
  return { ok: true as const };
}

/** Ends the session of this browser, and clears the answers that it cached. */
export async function endBrowserSession(
  app: App,
  { request, reply, origin }: Exchange & { origin: RequestOrigin },
): Promise<void> {
  const { session } = signInCookiesOf(app);
  const token = session.read(request);
  if (token) await endSessionOfToken(app, token, origin);
  session.clear(reply);
  // "cookies" would clear those of other programs on this host, and "storage" the chosen theme and drafts.
  reply.header('clear-site-data', '"cache"');
}
