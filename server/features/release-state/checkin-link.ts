import { newToken } from '#server/platform/crypto/token.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { CheckInLinkRow } from './checkin-links.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';

/** A check-in link outlives the longest silence that can follow the mail it stands in. */
const checkInLinkDays = 400;

/** A new link for one mail to the owner, and the row to be written in the transaction of the mail. */
export function newCheckInLink(
  { hashToken, baseUrl }: Pick<ReleaseDependencies, 'hashToken' | 'baseUrl'>,
  { userId, at }: { userId: string; at: Date },
): { url: string; row: CheckInLinkRow } {
  const token = newToken();
  const expiresAt = new Date(at.getTime() + checkInLinkDays * dayMs);
  const row = { tokenHash: hashToken(token), userId, createdAt: at, expiresAt, usedAt: null };
  return { url: `${baseUrl}/check-in/${token}`, row };
}
