import { timingSafeEqual } from 'node:crypto';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';

/** What a browser brings along that shows whose password was typed in it. */
export type OpeningBrowser = {
  /** What the browser was given when an account was registered in it; null where none was. */
  registrationMark: string | null;
  /** The account that is signed in there with a password of its own; null where none is. */
  signedInAs: string | null;
  /** Whether anybody at all is. */
  isSignedIn: boolean;
  /** What it keeps of those who signed in before; see `KnownDevices`. */
  device: string | null;
};

export type RegistrationMarks = {
  /** For the browser in which an account was registered; `null` for an address that was taken, which must look alike. */
  markFor(userId: string | null): string;
  /** Whether the person at this browser knows the password of an account: they chose it, or signed in with it. */
  knowsPassword(browser: Pick<OpeningBrowser, 'registrationMark' | 'signedInAs'>, userId: string): boolean;
};

/** The mark is a value that only we can make of the account's id. It says nothing, and opens nothing by itself. */
export function createRegistrationMarks(keys: Pick<ServiceKeys, 'derive'>): RegistrationMarks {
  const markOf = (userId: string) => keys.derive('registered-here', userId);

  return {
    markFor: (userId) => (userId === null ? newToken() : markOf(userId)),
    knowsPassword({ registrationMark, signedInAs }, userId) {
      return signedInAs === userId || (registrationMark !== null && isSame(registrationMark, markOf(userId)));
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

type Proof = {
  userId: string;
  by: 'verification-link' | 'mailbox-link' | 'reset' | 'identity-provider';
  origin: RequestOrigin;
  at: Date;
};

/** Records that the person who signs in to an account reads its mailbox, once. Gives whether it is the first proof. The account's row is locked. */
export async function recordMailboxProof(
  { activity, audit }: { activity: Pick<ActivityLog, 'proveMailbox'>; audit: Pick<Audit, 'record'> },
  tx: Executor,
  { userId, by, origin, at }: Proof,
): Promise<boolean> {
  if (!(await activity.proveMailbox(tx, userId, at))) return false;
  const entry = { userId, action: 'account.mailbox_proven', resource: 'account', resourceId: userId };
  await audit.record(tx, { ...entry, details: { by }, origin, at });
  return true;
}
