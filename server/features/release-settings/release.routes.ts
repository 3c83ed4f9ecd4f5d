import type { FastifyInstance } from 'fastify';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Sessions } from '#server/features/sessions/sessions.service.ts';
import { endBrowserSession } from '#server/features/sessions/sign-in-cookies.ts';
import { bind } from '#server/http/bind.ts';
import { getAskerRemoval, removeAsker } from '#shared/contract/release/asker-removal.ts';
import { getRehearsal, sendRehearsal } from '#shared/contract/release/rehearsal.ts';
import {
  answerRelease,
  checkInByLink,
  checkin,
  dismissReturn,
  getCheckInLink,
  getRelease,
  getReleaseSettings,
  stopRelease,
  updateAway,
  updateReleasePreferences,
  updateReleaseSettings,
} from '#shared/contract/release/release.ts';
import type { OwnersRelease } from './owners-release.service.ts';

export type ReleaseServices = {
  ownersRelease: OwnersRelease;
  releases: Pick<Releases, 'answer'>;
  sessions: Pick<Sessions, 'signOut'>;
};

/** What an owner sees and says about their own release. */
export function registerReleaseRoutes(
  app: FastifyInstance,
  { ownersRelease, releases, sessions }: ReleaseServices,
): void {
  bind(app, getReleaseSettings, ({ principal }) => ownersRelease.settings(principal.userId));

  bind(app, updateReleaseSettings, ({ principal, origin, body }) =>
    ownersRelease.updateSettings({ ...principal, origin }, body),
  );

  bind(app, getRelease, ({ principal }) => ownersRelease.overview(principal.userId));

  bind(app, getRehearsal, ({ principal }) => ownersRelease.rehearsal(principal.userId));

  bind(app, sendRehearsal, ({ principal: { userId }, origin }) => ownersRelease.sendRehearsal({ userId, origin }));

  bind(app, stopRelease, ({ principal: { userId }, origin }) => ownersRelease.stop({ userId, origin }));

  bind(app, dismissReturn, async ({ principal }) => {
    await ownersRelease.dismissReturn(principal.userId);
    return { ok: true as const };
  });

  bind(app, answerRelease, async ({ principal: { userId }, origin, body: { take }, request, reply }) => {
    await releases.answer({ userId, origin }, take);
    if (take === 'not-me') await endBrowserSession(app.http, sessions, { request, reply, origin });
    return { ok: true as const };
  });

  bind(app, updateReleasePreferences, ({ principal, origin, body }) =>
    ownersRelease.updatePreferences({ ...principal, origin }, body),
  );

  bind(app, updateAway, ({ principal, origin, body: { until } }) =>
    ownersRelease.updateAway({ ...principal, origin }, until),
  );

  bind(app, checkin, async ({ principal: { userId }, origin }) => ({
    ok: true as const,
    ...(await ownersRelease.checkIn({ userId, origin })),
  }));

  bind(app, getAskerRemoval, ({ params }) => ownersRelease.askerRemoval(params.token));

  bind(app, removeAsker, ({ params, origin }) => ownersRelease.removeAsker(params.token, origin));

  bind(app, getCheckInLink, ({ params }) => ownersRelease.checkInLink(params.token));

  bind(app, checkInByLink, async ({ params, origin }) => ({
    ok: true as const,
    ...(await ownersRelease.checkInByLink(params.token, origin)),
  }));
}
