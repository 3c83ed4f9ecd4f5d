import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { createPassingCookie } from '#server/http/session.ts';
import {
  changePassword,
  completeResetPassword,
  getAuthUser,
  getUser,
  getUserProfile,
  login,
  logout,
  reauthenticate,
  register,
  resendVerification,
  resendVerificationByLink,
  resetPassword,
  updateUserProfile,
  verifyEmail,
} from '#shared/contract/accounts.ts';
import { askForMailboxProof, getVerifiedAddress, proveMailbox } from '#shared/contract/mailbox.ts';
import { resendPhoneCode, verifyPhone } from '#shared/contract/phone.ts';
import { endOtherSessions, endSession, listSessions } from '#shared/contract/sessions.ts';
import { verificationLinkMs } from './accounts.limits.ts';
import type { Accounts } from './accounts.service.ts';
import { registerGoogleRoutes } from './google-sign-in.routes.ts';
import { registerSecondFactorRoutes } from './second-factors.routes.ts';
import { registerSecondStepRoutes } from './second-step.routes.ts';
import { createSignInCookies, leave } from './sign-in-cookies.ts';

/** Said whether or not there was anybody to write to. */
const resetSent = 'If there is an account with this address, a link to choose a new password is on its way to it.';
const verificationSent = 'If your address is still to be confirmed, a new link is on its way to it.';

export function registerAccountsRoutes(app: FastifyInstance, accounts: Accounts): void {
  registerAccountRoutes(app, accounts);
  registerPasswordRoutes(app, accounts);
  registerReauthentication(app, accounts);
  registerSessionRoutes(app, accounts);
  registerGoogleRoutes(app, accounts);
  registerSecondStepRoutes(app, accounts);
  registerSecondFactorRoutes(app, accounts);
}

/** Opening an account, its address, and who is signed in. */
function registerAccountRoutes(app: FastifyInstance, accounts: Accounts): void {
  const mark = createPassingCookie(app.http.baseUrl, { name: 'everkept-registered', maxAgeMs: verificationLinkMs });
  const cookies = createSignInCookies(app.http);

  bind(app, register, async ({ body, origin, reply }) => {
    mark.set(reply, await accounts.register(body, origin));
    return { message: 'We have sent you an email. Press the link in it to confirm your address.' };
  });

  bind(app, verifyEmail, async ({ query, principal, origin, request, reply }) => {
    // Mail scanners look with HEAD first; only a GET verifies.
    if (request.method === 'HEAD') return reply.redirect('/verify-email');
    const browser = {
      registrationMark: mark.read(request),
      // A password that an administrator chose shows nothing of who reads the mail.
      signedInAs: principal && !principal.mustChangePassword ? principal.userId : null,
      isSignedIn: principal !== null,
      device: cookies.callerOf(request).device,
    };
    const { is, email, signedIn } = await accounts.verifyEmail(query.token, browser, origin);
    if (is === 'expired') return reply.redirect(`/verify-email?token=${encodeURIComponent(query.token)}`);
    if (is === 'unknown') return reply.redirect('/verify-email');
    if (signedIn) {
      cookies.enter(request, reply, signedIn);
      mark.clear(reply);
    } else if (email !== null && principal === null) {
      cookies.fillIn(reply, await accounts.keepVerifiedAddress(email));
    }
    return reply.redirect('/?verified=true');
  });

  bind(app, getVerifiedAddress, async ({ request }) => ({
    email: await accounts.verifiedAddressIn(cookies.addressOf(request)),
  }));

  bind(app, resendVerification, async ({ principal }) => {
    await accounts.resendVerification(principal.userId);
    return { message: verificationSent };
  });

  bind(app, resendVerificationByLink, async ({ body }) => {
    await accounts.resendVerificationByLink(body.token);
    return { message: verificationSent };
  });

  bind(app, askForMailboxProof, async ({ principal }) => {
    await accounts.askForMailboxProof(principal.userId);
    return { message: 'The link is on its way. Open it in a browser in which you are signed in to this account.' };
  });

  bind(app, proveMailbox, async ({ principal: { userId, sessionId }, body, origin }) => {
    await accounts.proveMailboxByLink({ userId, sessionId, origin }, body.token);
    return { ok: true as const };
  });

  bind(app, getAuthUser, ({ principal }) => accounts.userAnswer(principal.userId));
  bind(app, getUser, ({ principal }) => accounts.userAnswer(principal.userId));
  bind(app, getUserProfile, ({ principal }) => accounts.profile(principal.userId));

  bind(app, verifyPhone, async ({ principal: { userId }, body, origin }) => {
    await accounts.provePhone({ userId, origin }, body.code);
    return accounts.profile(userId);
  });

  bind(app, resendPhoneCode, async ({ principal }) => {
    await accounts.sendPhoneCode(principal.userId);
    return { message: 'A new code is on its way to your phone.' };
  });

  bind(app, updateUserProfile, ({ principal, body, origin }) => accounts.updateProfile({ ...principal, origin }, body));
}

function registerPasswordRoutes(app: FastifyInstance, accounts: Accounts): void {
  const cookies = createSignInCookies(app.http);

  bind(app, resetPassword, async ({ body, origin }) => {
    await accounts.requestReset(body.email, origin);
    return { message: resetSent };
  });

  bind(app, completeResetPassword, async ({ body, origin, reply }) => {
    const completed = await accounts.completeReset(body, origin);
    app.http.sessionCookie.clear(reply);
    return { message: 'Your password is changed. Sign in with the new one.', ...completed };
  });

  bind(app, changePassword, async ({ body, principal, origin, request, reply }) => {
    const { device } = cookies.callerOf(request);
    const kept = await accounts.changePassword({ ...principal, origin, device }, body);
    app.http.sessionCookie.set(reply, kept.token, principal.isKept);
    cookies.remember(reply, kept.device);
    return { message: 'Your password is changed. Other devices were signed out.' };
  });
}

/** Proving once more who is signed in. */
function registerReauthentication(app: FastifyInstance, accounts: Accounts): void {
  bind(app, reauthenticate, async ({ body, principal: { userId, sessionId, isKept }, origin, reply }) => {
    const token = await accounts.reauthenticate({ userId, sessionId, origin }, body);
    app.http.sessionCookie.set(reply, token, isKept);
    return { ok: true as const };
  });
}

function registerSessionRoutes(app: FastifyInstance, accounts: Accounts): void {
  const cookies = createSignInCookies(app.http);

  bind(app, login, async ({ body, origin, request, reply }) => {
    const outcome = await accounts.signIn({ ...body, ...cookies.callerOf(request), origin });
    if ('stepToken' in outcome) {
      cookies.wait(reply, outcome.stepToken);
      reply.code(202);
      return { ok: false as const, secondFactor: outcome.secondFactor };
    }
    cookies.enter(request, reply, outcome);
    return { ok: true as const, user: accounts.describeUser(outcome.owner) };
  });

  bind(app, logout, async ({ origin, request, reply }) => {
    await leave(app.http, accounts, { request, reply, origin });
    return { ok: true as const };
  });

  bind(app, listSessions, ({ principal }) => accounts.listSessions(principal.userId, principal.sessionId));

  bind(app, endSession, ({ principal: { userId, sessionId }, params, origin }) =>
    accounts.endSession({ userId, sessionId, origin }, params.id),
  );

  bind(app, endOtherSessions, async ({ principal: { userId, sessionId }, origin, request, reply }) => {
    const { device } = cookies.callerOf(request);
    cookies.remember(reply, await accounts.endOtherSessions({ userId, sessionId, origin }, device));
  });
}
