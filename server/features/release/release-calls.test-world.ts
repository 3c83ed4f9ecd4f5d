import type { App } from '#server/app.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { freezeReleases, recordHeartbeat } from '#server/features/release-health/health.ts';
import { getAskerRemoval, removeAsker } from '#server/features/release-settings/asker-removal.ts';
import { checkInByLink, getCheckInLink } from '#server/features/release-settings/checkin-links.ts';
import { getRehearsal, sendRehearsal } from '#server/features/release-settings/rehearsal.ts';
import { dismissReturn, getRelease } from '#server/features/release-settings/release-overview.ts';
import { stopRelease } from '#server/features/release-settings/release-settings.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { ReturnAnswer } from '#shared/contract/release/release.ts';
import { sendRepairedLetters } from './damaged-letters.ts';
import { closeReleases } from './release-activity.ts';
import {
  type ContactAct,
  type ContactAnswer,
  decideRelease,
  type EarlyRequest,
  pressTrustee,
  requestEmergency,
  withdrawYes,
} from './release-decisions.ts';
import { freezeOwner, listFreezes, resumeOwner, resumeReleases } from './release-freeze.ts';
import { answerQuestion } from './release-question.ts';
import { sweepReleases } from './release-sweep.ts';

type Actor = { userId: string; origin: RequestOrigin };

/** Use cases of release, called as a test likes to write them. */
export function releaseCalls(app: App) {
  const releases = {
    sweep: (limit?: number) => sweepReleases(app, limit),
    beat: () => recordHeartbeat(app),
    freezes: () => listFreezes(app),
    freeze: (reason: string) => freezeReleases(app, reason),
    resume: () => resumeReleases(app),
    freezeOwner: (email: string) => freezeOwner(app, email),
    resumeOwner: (email: string) => resumeOwner(app, email),
    decide: (answer: ContactAnswer) => decideRelease(app, answer),
    takeBack: (act: ContactAct) => withdrawYes(app, act),
    requestEmergency: (request: EarlyRequest) => requestEmergency(app, request),
    pressTrustee: (request: EarlyRequest) => pressTrustee(app, request),
    answer: ({ userId, origin }: Actor, take: ReturnAnswer) =>
      answerQuestion(app, { principal: { userId }, origin }, take),
    close: (tx: Executor, closing: { userId: string; at: Date; origin?: RequestOrigin }) =>
      closeReleases(app, tx, closing),
    sendRepairedLetters: () => sendRepairedLetters(app),
  };
  const ownersRelease = {
    overview: (userId: string) => getRelease(app, { principal: { userId } }),
    dismissReturn: (userId: string) => dismissReturn(app, { principal: { userId } }),
    stop: ({ userId, origin }: Actor) => stopRelease(app, { principal: { userId }, origin }),
    checkInLink: (token: string) => getCheckInLink(app, { params: { token } }),
    checkInByLink: (token: string, origin: RequestOrigin) => checkInByLink(app, { params: { token }, origin }),
    askerRemoval: (token: string) => getAskerRemoval(app, { params: { token } }),
    removeAsker: (token: string, origin: RequestOrigin) => removeAsker(app, { params: { token }, origin }),
    rehearsal: (userId: string) => getRehearsal(app, { principal: { userId } }),
    sendRehearsal: ({ userId, origin }: Actor) => sendRehearsal(app, { principal: { userId }, origin }),
  };
  return { releases, ownersRelease };
}
