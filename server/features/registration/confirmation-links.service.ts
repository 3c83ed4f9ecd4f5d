import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { HoldingsOf } from './holdings.ts';
import { storeVerificationToken } from './mailed-links.repository.ts';
import { findNotMeHolder, insertNotMeLink, moveNotMeLinkEnd } from './not-me-links.repository.ts';
import { verificationEmail } from './registration.emails.ts';
import { notMeLinkMs, verificationLinkMs } from './registration.limits.ts';

/** The two answers to "is this account yours?": the link that verifies the address, and the one that says "not me". */
export type ConfirmationUrls = { verifyUrl: string; notMeUrl: string };

type Asked = Pick<OwnerRow, 'id' | 'email'> & { at: Date };

export type ConfirmationLinks = {
  /** Makes both links anew; the verification link before is dead, the other ones live on. The account's row is locked. */
  renew(tx: Executor, asked: Asked): Promise<ConfirmationUrls>;
  /** The days to say "not me" begin when the mail leaves. */
  startNotMeDays(executor: Executor, notMeUrl: string, at: Date): Promise<void>;
  /** Whose account a link "This was not me" is about; null where it is unknown, used or over. */
  notMeHolder(executor: Executor, token: string, at: Date): Promise<string | null>;
  /** Asks the address whether the account is theirs. What is in it is read when the mail leaves. */
  askAddress(tx: Executor, asked: Asked): Promise<void>;
  /** Makes a link "This was not me", and leaves all others as they are. */
  issueNotMeUrl(tx: Executor, asked: Asked): Promise<string>;
};

type Dependencies = {
  hashToken: HashToken;
  notifications: Pick<Notifications, 'enqueue' | 'writeAtDeparture'>;
  holdingsOf: HoldingsOf;
  baseUrl: string;
};

const mailKind = 'accounts.verification';

export function createConfirmationLinks(deps: Dependencies): ConfirmationLinks {
  const { hashToken, notifications, holdingsOf, baseUrl } = deps;

  async function issueNotMeUrl(tx: Executor, { id: userId, at }: Asked): Promise<string> {
    const token = newToken();
    const expiresAt = new Date(at.getTime() + notMeLinkMs);
    await insertNotMeLink(tx, { tokenHash: hashToken(token), userId, expiresAt });
    return `${baseUrl}/not-me/${token}`;
  }

  async function renewLinks(tx: Executor, asked: Asked) {
    const token = newToken();
    const tokenHash = hashToken(token);
    const expiresAt = new Date(asked.at.getTime() + verificationLinkMs);
    await storeVerificationToken(tx, { userId: asked.id, tokenHash, expiresAt });
    const verifyUrl = `${baseUrl}/api/verify-email?token=${token}`;
    return { tokenHash, urls: { verifyUrl, notMeUrl: await issueNotMeUrl(tx, asked) } };
  }

  async function startNotMeDays(executor: Executor, notMeUrl: string, at: Date): Promise<void> {
    const token = notMeUrl.slice(notMeUrl.lastIndexOf('/') + 1);
    await moveNotMeLinkEnd(executor, hashToken(token), new Date(at.getTime() + notMeLinkMs));
  }

  notifications.writeAtDeparture(mailKind, async (executor, { userId, given, at }) => {
    const { verifyUrl, notMeUrl } = given;
    const owner = userId === null ? null : await findOwner(executor, userId);
    if (!owner || !verifyUrl || !notMeUrl) return null;
    await startNotMeDays(executor, notMeUrl, at);
    const holdings = await holdingsOf(executor, owner.id);
    return verificationEmail({ verifyUrl, notMeUrl, holdings, isVouched: owner.emailVerified, baseUrl });
  });

  return {
    renew: async (tx, asked) => (await renewLinks(tx, asked)).urls,
    startNotMeDays,
    issueNotMeUrl,
    notMeHolder: (executor, token, at) => findNotMeHolder(executor, hashToken(token), at),

    async askAddress(tx, asked) {
      const { tokenHash, urls } = await renewLinks(tx, asked);
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'accounts.verification',
        userId: asked.id,
        subjectId: null,
        dedupeKey: `${mailKind}:${tokenHash}`,
        at: asked.at,
        to: { address: asked.email },
        mail: verificationEmail({ ...urls, holdings: null, isVouched: false, baseUrl }),
        given: urls,
      });
    },
  };
}
