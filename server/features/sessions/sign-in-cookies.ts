import type { FastifyReply, FastifyRequest } from 'fastify';
import { type App, perApp } from '#server/app.ts';
import { createSessionCookie, createTimedCookie } from '#server/http/session.ts';
import { identityTicketMs, knownDeviceMs, signInStepMs, verifiedAddressMs } from './sessions.limits.ts';

/** Request of a browser, and the answer to it. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply };

export const signInCookiesOf = perApp(({ baseUrl }) => {
  const site = new URL(baseUrl);
  return {
    session: createSessionCookie(site),
    /** Token of a sign-in that waits for its second factor. */
    step: createTimedCookie(site, { name: 'everkept-step', maxAgeMs: signInStepMs }),
    /** Sealed address that was just verified. The sign-in page fills it in. */
    address: createTimedCookie(site, { name: 'everkept-verified', maxAgeMs: verifiedAddressMs }),
    /** Value of `rememberedDevice`, which makes this browser a known device. */
    device: createTimedCookie(site, { name: 'everkept-device', maxAgeMs: knownDeviceMs }),
    /** Ticket that the browser must send when it returns from a sign-in provider. */
    ticket: createTimedCookie(site, { name: 'everkept-provider', maxAgeMs: identityTicketMs }),
  };
});

/** Reads the cookies that a sign-in needs. `previousToken` is the browser's session until now. */
export function browserCookiesOf(
  app: App,
  request: FastifyRequest,
): { previousToken: string | null; device: string | null } {
  const { session, device } = signInCookiesOf(app);
  return { previousToken: session.read(request), device: device.read(request) };
}

export function setDeviceCookie(app: App, reply: FastifyReply, device: string): void {
  signInCookiesOf(app).device.set(reply, device);
}

/** Sets the cookies of a finished sign-in, and clears the cookies of its steps. `isKept` outlives the browser's window. */
export function setSignInCookies(
  app: App,
  { request, reply }: Exchange,
  signedIn: { token: string; device: string; isKept: boolean },
): void {
  const { session, device, step, address } = signInCookiesOf(app);
  session.set(reply, signedIn.token, signedIn.isKept);
  device.set(reply, signedIn.device);
  if (step.read(request) !== null) step.clear(reply);
  if (address.read(request) !== null) address.clear(reply);
}
