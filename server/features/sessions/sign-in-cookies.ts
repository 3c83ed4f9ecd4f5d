import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { HttpContext } from '#server/http/context.ts';
import { createPassingCookie } from '#server/http/session.ts';
import { knownDeviceMs, signInStepMs, verifiedAddressMs } from './sessions.limits.ts';
import type { Sessions } from './sessions.service.ts';

export type SignInCookies = {
  /** What a browser brings to a sign-in. */
  callerOf(request: FastifyRequest): { previousToken: string | null; device: string | null };
  /** The sign-in that this browser has begun; null where it has begun none. */
  stepOf(request: FastifyRequest): string | null;
  /** The password was right, and the second factor is still to come. */
  wait(reply: FastifyReply, stepToken: string): void;
  /** What the sign-in page may fill in; null where nothing is to be. */
  addressOf(request: FastifyRequest): string | null;
  fillIn(reply: FastifyReply, kept: string): void;
  /** Nothing has changed but what the device keeps. */
  remember(reply: FastifyReply, kept: string): void;
  /** The sign-in is finished. */
  enter(
    request: FastifyRequest,
    reply: FastifyReply,
    signedIn: { token: string; device: string; isKept: boolean },
  ): void;
};

type SigningOut = { request: FastifyRequest; reply: FastifyReply; origin: RequestOrigin };

/** Ends the session of this browser, and has it forget what it read. */
export async function endBrowserSession(
  { sessionCookie }: HttpContext,
  sessions: Pick<Sessions, 'signOut'>,
  { request, reply, origin }: SigningOut,
): Promise<void> {
  const token = sessionCookie.read(request);
  if (token) await sessions.signOut(token, origin);
  sessionCookie.clear(reply);
  // Not "cookies", which would take those of other programs on this host, and not "storage", which holds the
  // chosen theme and drafts nobody else can read.
  reply.header('clear-site-data', '"cache"');
}

/** The cookies of signing in: the session, what waits for a second factor, a device that was seen before, and an address to fill in. */
export function createSignInCookies({ baseUrl, sessionCookie }: HttpContext): SignInCookies {
  const step = createPassingCookie(baseUrl, { name: 'everkept-step', maxAgeMs: signInStepMs });
  const address = createPassingCookie(baseUrl, { name: 'everkept-verified', maxAgeMs: verifiedAddressMs });
  const device = createPassingCookie(baseUrl, { name: 'everkept-device', maxAgeMs: knownDeviceMs });

  return {
    callerOf: (request) => ({ previousToken: sessionCookie.read(request), device: device.read(request) }),
    stepOf: (request) => step.read(request),
    wait: (reply, stepToken) => step.set(reply, stepToken),
    addressOf: (request) => address.read(request),
    fillIn: (reply, kept) => address.set(reply, kept),
    remember: (reply, kept) => device.set(reply, kept),
    enter(request, reply, signedIn) {
      sessionCookie.set(reply, signedIn.token, signedIn.isKept);
      device.set(reply, signedIn.device);
      if (step.read(request) !== null) step.clear(reply);
      if (address.read(request) !== null) address.clear(reply);
    },
  };
}
