import type { FastifyInstance } from 'fastify';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import { bind } from '#server/http/bind.ts';
import {
  askLoginPasskey,
  askReauthenticationPasskey,
  askSecondStepPasskey,
  finishSecondStep,
  getSecondStep,
  loginWithPasskey,
  reauthenticateWithPasskey,
} from '#shared/contract/second-factors.ts';
import type { Reauthentication } from './reauthentication.service.ts';
import type { SecondStep } from './second-step.service.ts';
import { createSignInCookies } from './sign-in-cookies.ts';

type Services = {
  accounts: Pick<Accounts, 'describeUser'>;
  secondStep: SecondStep;
  reauthentication: Pick<Reauthentication, 'askReauthenticationPasskey' | 'reauthenticateWithPasskey'>;
};

/** The second step of a sign-in, and passkeys in place of a password. */
export function registerSecondStepRoutes(
  app: FastifyInstance,
  { accounts, secondStep, reauthentication }: Services,
): void {
  const cookies = createSignInCookies(app.http);

  bind(app, getSecondStep, async ({ request }) => ({
    secondFactor: await secondStep.secondFactorsOfStep(cookies.stepOf(request)),
  }));

  bind(app, askSecondStepPasskey, ({ request }) => secondStep.askStepPasskey(cookies.stepOf(request)));

  bind(app, finishSecondStep, async ({ body, origin, request, reply }) => {
    const caller = { ...cookies.callerOf(request), origin };
    const signedIn = await secondStep.finishStep(cookies.stepOf(request), body, caller);
    cookies.enter(request, reply, signedIn);
    return { ok: true as const, user: accounts.describeUser(signedIn.owner) };
  });

  bind(app, askLoginPasskey, () => secondStep.askLoginPasskey());

  bind(app, loginWithPasskey, async ({ body: { keepSignedIn, ...answer }, origin, request, reply }) => {
    const caller = { ...cookies.callerOf(request), origin };
    const signedIn = await secondStep.signInWithPasskey(answer, caller, keepSignedIn);
    cookies.enter(request, reply, signedIn);
    return { ok: true as const, user: accounts.describeUser(signedIn.owner) };
  });

  bind(app, askReauthenticationPasskey, ({ principal }) =>
    reauthentication.askReauthenticationPasskey(principal.userId),
  );

  bind(app, reauthenticateWithPasskey, async ({ body, principal: { userId, sessionId, isKept }, origin, reply }) => {
    const token = await reauthentication.reauthenticateWithPasskey({ userId, sessionId, origin }, body);
    app.http.sessionCookie.set(reply, token, isKept);
    return { ok: true as const };
  });
}
