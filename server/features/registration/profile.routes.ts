import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getAuthUser, getUser } from '#shared/contract/accounts.ts';
import { notePlanOffered } from '#shared/contract/billing.ts';
import { getUserProfile, resendPhoneCode, updateUserProfile, verifyPhone } from '#shared/contract/phone.ts';
import type { PhoneProofs } from './phone.service.ts';
import type { Profiles } from './profile.service.ts';

type Services = { profiles: Profiles; phoneProofs: PhoneProofs };

/** Who is signed in, what the setup wizard asks, and the phone. */
export function registerProfileRoutes(app: FastifyInstance, { profiles, phoneProofs }: Services): void {
  bind(app, getAuthUser, ({ principal }) => profiles.userAnswer(principal.userId));
  bind(app, getUser, ({ principal }) => profiles.userAnswer(principal.userId));
  bind(app, notePlanOffered, async ({ principal }) => {
    await profiles.notePlanOffered(principal.userId);
    return { ok: true as const };
  });
  bind(app, getUserProfile, ({ principal }) => profiles.profile(principal.userId));

  bind(app, verifyPhone, async ({ principal: { userId }, body, origin }) => {
    await phoneProofs.provePhone({ userId, origin }, body.code);
    return profiles.profile(userId);
  });

  bind(app, resendPhoneCode, async ({ principal }) => {
    await phoneProofs.sendPhoneCode(principal.userId);
    return { message: 'A new code is on its way to your phone.' };
  });

  bind(app, updateUserProfile, ({ principal, body, origin }) => profiles.updateProfile({ ...principal, origin }, body));
}
