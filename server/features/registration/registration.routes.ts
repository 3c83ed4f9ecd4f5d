import type { FastifyInstance } from 'fastify';
import { createSignInCookies } from '#server/features/sessions/sign-in-cookies.ts';
import type { VerifiedAddresses } from '#server/features/sessions/verified-address.ts';
import { bind } from '#server/http/bind.ts';
import { createPassingCookie } from '#server/http/session.ts';
import { register, resendVerification, resendVerificationByLink, verifyEmail } from '#shared/contract/accounts.ts';
import { askForMailboxProof, getVerifiedAddress, proveMailbox } from '#shared/contract/mailbox.ts';
import type { MailboxProofs } from './mailbox-proof.service.ts';
import { verificationLinkMs } from './registration.limits.ts';
import type { Registration } from './registration.service.ts';

/** Said whether or not there was anybody to write to. */
const verificationSent = 'If your address is still to be confirmed, a new link is on its way to it.';

type Services = { registration: Registration; mailboxProofs: MailboxProofs; verifiedAddresses: VerifiedAddresses };

/** Opening an account, and proving its address. */
export function registerRegistrationRoutes(
  app: FastifyInstance,
  { registration, mailboxProofs, verifiedAddresses }: Services,
): void {
  const mark = createPassingCookie(app.http.baseUrl, { name: 'everkept-registered', maxAgeMs: verificationLinkMs });
  const cookies = createSignInCookies(app.http);

  bind(app, register, async ({ body, origin, reply }) => {
    mark.set(reply, await registration.register(body, origin));
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
    const { is, email, signedIn } = await registration.verifyEmail(query.token, browser, origin);
    if (is === 'expired') return reply.redirect(`/verify-email?token=${encodeURIComponent(query.token)}`);
    if (is === 'unknown') return reply.redirect('/verify-email');
    if (signedIn) {
      cookies.enter(request, reply, signedIn);
      mark.clear(reply);
    } else if (email !== null && principal === null) {
      cookies.fillIn(reply, await verifiedAddresses.keepVerifiedAddress(email));
    }
    return reply.redirect('/?verified=true');
  });

  bind(app, getVerifiedAddress, async ({ request }) => ({
    email: await verifiedAddresses.verifiedAddressIn(cookies.addressOf(request)),
  }));

  bind(app, resendVerification, async ({ principal }) => {
    await registration.resendVerification(principal.userId);
    return { message: verificationSent };
  });

  bind(app, resendVerificationByLink, async ({ body }) => {
    await registration.resendVerificationByLink(body.token);
    return { message: verificationSent };
  });

  bind(app, askForMailboxProof, async ({ principal }) => {
    await mailboxProofs.askForMailboxProof(principal.userId);
    return { message: 'The link is on its way. Open it in a browser in which you are signed in to this account.' };
  });

  bind(app, proveMailbox, async ({ principal: { userId, sessionId }, body, origin }) => {
    await mailboxProofs.proveMailboxByLink({ userId, sessionId, origin }, body.token);
    return { ok: true as const };
  });
}
