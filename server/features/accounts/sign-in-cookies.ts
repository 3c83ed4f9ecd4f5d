import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '#server/http/context.ts';
import { createPassingCookie } from '#server/http/session.ts';
import { knownDeviceMs, signInStepMs } from './accounts.limits.ts';

export type SignInCookies = {
  /** What a browser brings to a sign-in. */
  callerOf(request: FastifyRequest): { previousToken: string | null; device: string | null };
  /** The sign-in that this browser has begun; null where it has begun none. */
  stepOf(request: FastifyRequest): string | null;
  /** The password was right, and the second factor is still to come. */
  wait(reply: FastifyReply, stepToken: string): void;
  /** Nothing has changed but what the device keeps. */
  remember(reply: FastifyReply, kept: string): void;
  /** The sign-in is finished. */
  enter(
    request: FastifyRequest,
    reply: FastifyReply,
    signedIn: { token: string; device: string; isKept: boolean },
  ): void;
};

/** The three cookies of signing in: the session, what waits for a second factor, and a device that was seen before. */
export function createSignInCookies({ baseUrl, sessionCookie }: HttpContext): SignInCookies {
  const step = createPassingCookie(baseUrl, { name: 'everkept-step', maxAgeMs: signInStepMs });
  const device = createPassingCookie(baseUrl, { name: 'everkept-device', maxAgeMs: knownDeviceMs });

  return {
    callerOf: (request) => ({ previousToken: sessionCookie.read(request), device: device.read(request) }),
    stepOf: (request) => step.read(request),
    wait: (reply, stepToken) => step.set(reply, stepToken),
    remember: (reply, kept) => device.set(reply, kept),
    enter(request, reply, signedIn) {
      sessionCookie.set(reply, signedIn.token, signedIn.isKept);
      device.set(reply, signedIn.device);
      if (step.read(request) !== null) step.clear(reply);
    },
  };
}
