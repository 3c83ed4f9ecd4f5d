import { randomUUID } from 'node:crypto';
import type { releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';

type Request = typeof releaseRequests.$inferInsert;
type Silence = typeof releaseSilences.$inferInsert;

const terms = { inactivityDays: 90, needed: 1, answerDays: 7, waitingDays: 3 };

/** A silence as it stands once its first reminder was written, for tests that set up rows by hand. */
export function silenceRow(given: Pick<Silence, 'userId' | 'openedAt'> & Partial<Silence>): Silence & { id: string } {
  return { id: randomUUID(), ...terms, firstNotice: 1, ...given };
}

/** A request by silence whose contacts are asked, or what it has come to. */
export function requestRow(given: Pick<Request, 'userId' | 'openedAt'> & Partial<Request>): Request & { id: string } {
  const { openedAt } = given;
  const began = { openedHealthyMs: 0, phaseAt: openedAt, phaseHealthyMs: 0 };
  return { id: randomUUID(), cause: 'silence', ...terms, ...began, isSilenceOver: true, phase: 'asking', ...given };
}

/** Row of a request whose letters are being sent since it opened. */
export function releaseRow(given: Pick<Request, 'userId' | 'openedAt'> & Partial<Request>): Request & { id: string } {
  return requestRow({ releasedAt: given.openedAt, releasedHealthyMs: 0, ...given });
}
