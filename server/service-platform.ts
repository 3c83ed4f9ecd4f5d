import type { Logger } from 'pino';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { ReleaseDependencies } from '#server/features/release/release.service.ts';
import type { RateLimits } from '#server/http/rate-limits.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { FileStore } from '#server/platform/files/file-store.ts';
import type { NamedProvider } from '#server/platform/identity/identity-provider.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Payments } from '#server/platform/payments/payments.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import type { Scanner } from '#server/platform/scanner/scanner.ts';
import type { TextReplies } from '#server/platform/sms/text-replies.ts';
import type { Texter } from '#server/platform/sms/texter.ts';

/** The doors outside, opened. */
export type Platform = {
  db: Database;
  log: Logger;
  clock: Clock;
  masterKeys: MasterKeys;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  queue: Queue;
  store: FileStore;
  /** Left out where nothing is sold. */
  payments?: Payments;
  scanner: Scanner;
  /** Who was deleted, apart from the database. */
  ledger: DeletionLedger;
  /** How answers to texts come in; left out or null where no texts are sent. */
  textReplies?: TextReplies | null;
  /** Left out where nobody signs in with any. */
  identityProviders?: readonly NamedProvider[];
  limits: RateLimits;
  /** The public address, without a path. */
  baseUrl: string;
  mailFrom: string;
  /** The mailbox to whose sub-addresses mails come back; left out, that of `mailFrom`. */
  bounceAddress?: string;
  adminEmail: string | null;
  /** Whether a backup is made every night; left out, none is. */
  isBackupSetUp?: boolean;
  /** Days that contacts have to answer where the owner chose none. */
  answerDaysDefault: number;
  /** This process's own clock, for tests whose time is moved by hand. */
  monotonicMs?: () => number;
  /** Shown each step of a release; for tests that hold what is written to what was decided. */
  onReleaseStep?: ReleaseDependencies['onStep'];
  /** How passwords are hashed, for tests that are not about it: as it should be done takes most of a sign-in's time. */
  passwords?: Passwords;
  /** See `inConstantTime`; for tests that are not about it. */
  answerFloorMs?: number;
};
