import type { FastifyReply, FastifyRequest } from 'fastify';
import { type App, perApp } from '#server/app.ts';
import { createPassingCookie, createSessionCookie } from '#server/http/session.ts';
import { identityTicketMs, knownDeviceMs, signInStepMs, verifiedAddressMs } from './sessions.limits.ts';

/** Request of a browser, and the answer to it. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply };

export const signInCookiesOf = perApp(({ baseUrl }) => {
  const site = new URL(baseUrl);
  return {
    session: createSessionCookie(site),
    /** A sign-in that waits for its second factor. */
    step: createPassingCookie(site, { name: 'everkept-step', maxAgeMs: signInStepMs }),
    /** Address that the sign-in page fills in. */
    address: createPassingCookie(site, { name: 'everkept-verified', maxAgeMs: verifiedAddressMs }),
    /** Mark of a known device. */
    device: createPassingCookie(site, { name: 'everkept-device', maxAgeMs: knownDeviceMs }),
    /** Ticket that a browser must bring back from a provider. */
    ticket: createPassingCookie(site, { name: 'everkept-provider', maxAgeMs: identityTicketMs }),
  };
});

/** Returns the cookies that a browser brings to a sign-in. */
export function callerOf(app: App, request: FastifyRequest): { previousToken: string | null; device: string | null } {
  const { session, device } = signInCookiesOf(app);
  return { previousToken: session.read(request), device: device.read(request) };
}

export function rememberDevice(app: App, reply: FastifyReply, kept: string): void {
  signInCookiesOf(app).device.set(reply, kept);
}

/** Sets the cookies of a finished sign-in. */
export function enterBrowser(
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
