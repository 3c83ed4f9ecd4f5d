import type { FastifyInstance } from 'fastify';
import { createSignInCookies } from '#server/features/sessions/sign-in-cookies.ts';
import { bind } from '#server/http/bind.ts';
import { changePassword, completeResetPassword, resetPassword } from '#shared/contract/accounts.ts';
import { setFirstPassword } from '#shared/contract/sign-in/ways-in.ts';
import type { PasswordReset } from './password-reset.service.ts';

/** Said whether or not there was anybody to write to. */
const resetSent = 'If there is an account with this address, a link to choose a new password is on its way to it.';

/** Reset the password with a mailed link, or change it with the present one. */
export function registerPasswordRoutes(
  app: FastifyInstance,
  { passwordReset }: { passwordReset: PasswordReset },
): void {
  const cookies = createSignInCookies(app.http);

  bind(app, resetPassword, async ({ body, origin }) => {
    await passwordReset.requestReset(body.email, origin);
    return { message: resetSent };
  });

  bind(app, completeResetPassword, async ({ body, origin, reply }) => {
    const completed = await passwordReset.completeReset(body, origin);
    app.http.sessionCookie.clear(reply);
    return { message: 'Your password is changed. Sign in with the new one.', ...completed };
  });

  bind(app, setFirstPassword, async ({ body, principal, origin, request, reply }) => {
    const { device } = cookies.callerOf(request);
    cookies.remember(reply, await passwordReset.setFirstPassword({ ...principal, origin, device }, body.password));
    return { ok: true as const };
  });

  bind(app, changePassword, async ({ body, principal, origin, request, reply }) => {
    const { device } = cookies.callerOf(request);
    const kept = await passwordReset.changePassword({ ...principal, origin, device }, body);
    app.http.sessionCookie.set(reply, kept.token, principal.isKept);
    cookies.remember(reply, kept.device);
    return { message: 'Your password is changed. Other devices were signed out.' };
  });
}
