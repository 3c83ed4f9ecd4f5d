import type { FastifyInstance } from 'fastify';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import { bind } from '#server/http/bind.ts';
import { login, logout, reauthenticate } from '#shared/contract/accounts.ts';
import { endOtherSessions, endSession, listSessions } from '#shared/contract/sessions.ts';
import type { Reauthentication } from './reauthentication.service.ts';
import type { Sessions } from './sessions.service.ts';
import type { SignIn } from './sign-in.service.ts';
import { createSignInCookies, endBrowserSession } from './sign-in-cookies.ts';

type Services = {
  accounts: Pick<Accounts, 'describeUser'>;
  sessions: Sessions;
  signIn: SignIn;
  reauthentication: Pick<Reauthentication, 'reauthenticate'>;
};

/** Signing in and out with a password, confirming who one is, and the devices that are signed in. */
export function registerSessionRoutes(
  app: FastifyInstance,
  { accounts, sessions, signIn, reauthentication }: Services,
): void {
  const cookies = createSignInCookies(app.http);

  bind(app, login, async ({ body, origin, request, reply }) => {
    const outcome = await signIn.signIn({ ...body, ...cookies.callerOf(request), origin });
    if ('stepToken' in outcome) {
      cookies.wait(reply, outcome.stepToken);
      reply.code(202);
      return { ok: false as const, secondFactor: outcome.secondFactor };
    }
    cookies.enter(request, reply, outcome);
    return { ok: true as const, user: accounts.describeUser(outcome.owner) };
  });

  bind(app, logout, async ({ origin, request, reply }) => {
    await endBrowserSession(app.http, sessions, { request, reply, origin });
    return { ok: true as const };
  });

  bind(app, listSessions, ({ principal }) => sessions.list(principal.userId, principal.sessionId));

  bind(app, endSession, ({ principal: { userId, sessionId }, params, origin }) =>
    sessions.end({ userId, sessionId, origin }, params.id),
  );

  bind(app, endOtherSessions, async ({ principal: { userId, sessionId }, origin, request, reply }) => {
    const { device } = cookies.callerOf(request);
    cookies.remember(reply, await sessions.endOthers({ userId, sessionId, origin }, device));
  });

  bind(app, reauthenticate, async ({ body, principal: { userId, sessionId, isKept }, origin, reply }) => {
    const token = await reauthentication.reauthenticate({ userId, sessionId, origin }, body);
    app.http.sessionCookie.set(reply, token, isKept);
    return { ok: true as const };
  });
}
