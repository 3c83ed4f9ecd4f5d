import type { FastifyInstance } from 'fastify';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import { leave } from '#server/features/accounts/sign-in-cookies.ts';
import { bind } from '#server/http/bind.ts';
import { getRehearsal, sendRehearsal } from '#shared/contract/rehearsal.ts';
import {
  answerRelease,
  checkInByLink,
  checkin,
  getCheckInLink,
  getRelease,
  getReleaseSettings,
  stopRelease,
  updateReleasePreferences,
  updateReleaseSettings,
} from '#shared/contract/release.ts';
import type { Releases } from './release.service.ts';

/** What an owner sees and says about their own release. */
export function registerReleaseRoutes(
  app: FastifyInstance,
  releases: Releases,
  accounts: Pick<Accounts, 'signOut'>,
): void {
  bind(app, getReleaseSettings, ({ principal }) => releases.settings(principal.userId));

  bind(app, updateReleaseSettings, ({ principal, origin, body }) =>
    releases.updateSettings({ ...principal, origin }, body),
  );

  bind(app, getRelease, ({ principal }) => releases.overview(principal.userId));

  bind(app, getRehearsal, ({ principal }) => releases.rehearsal(principal.userId));

  bind(app, sendRehearsal, ({ principal: { userId }, origin }) => releases.sendRehearsal({ userId, origin }));

  bind(app, stopRelease, ({ principal: { userId }, origin }) => releases.stop({ userId, origin }));

  bind(app, answerRelease, async ({ principal: { userId }, origin, body: { take }, request, reply }) => {
    await releases.answer({ userId, origin }, take);
    if (take === 'not-me') await leave(app.http, accounts, { request, reply, origin });
    return { ok: true as const };
  });

  bind(app, updateReleasePreferences, ({ principal, origin, body }) =>
    releases.updatePreferences({ ...principal, origin }, body),
  );

  bind(app, checkin, async ({ principal: { userId }, origin }) => ({
    ok: true as const,
    ...(await releases.checkIn({ userId, origin })),
  }));

  bind(app, getCheckInLink, ({ params }) => releases.checkInLink(params.token));

  bind(app, checkInByLink, async ({ params, origin }) => ({
    ok: true as const,
    ...(await releases.checkInByLink(params.token, origin)),
  }));
}
