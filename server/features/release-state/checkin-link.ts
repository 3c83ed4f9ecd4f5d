import type { App } from '#server/app.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { CheckInLinkRow } from './checkin-links.repository.ts';

/** Days until a check-in link expires: longer than any silence that can follow its mail. */
const checkInLinkDays = 400;

/** Returns a new link for one mail to the owner, and its row. The mail's transaction writes the row. */
export function newCheckInLink(
  { serviceKeys, baseUrl }: App,
  { userId, at }: { userId: string; at: Date },
): { url: string; row: CheckInLinkRow } {
  const token = newToken();
  const expiresAt = new Date(at.getTime() + checkInLinkDays * dayMs);
  const row = { tokenHash: serviceKeys.hashToken(token), userId, createdAt: at, expiresAt, usedAt: null };
  return { url: `${baseUrl}/check-in/${token}`, row };
}
