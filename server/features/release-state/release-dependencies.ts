import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Deliveries } from '#server/features/delivery/delivery.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Command, Event } from '#server/features/release-core/events.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';

/** Words for the operator; never a name, an address or a token. */
export type ReleaseLog = {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

/** What release needs of the rest. */
export type ReleaseDependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<
    Accounts,
    | 'lockOwner'
    | 'lockOwners'
    | 'ownerOf'
    | 'ownerByEmail'
    | 'openVault'
    | 'recordActivity'
    | 'onActivity'
    | 'countOnlyIf'
  >;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  contacts: Pick<
    Contacts,
    | 'confirmedContacts'
    | 'confirmedContactsOf'
    | 'keepHealthyTime'
    | 'takeBackHealthyTime'
    | 'onAnswered'
    | 'removeByLink'
  >;
  messages: Pick<
    Messages,
    | 'readyMessages'
    | 'sentMessages'
    | 'damagedAmong'
    | 'readyOf'
    | 'lettersToSend'
    | 'countReady'
    | 'count'
    | 'hasOldAddress'
  >;
  documents: Pick<Documents, 'countVisibleOf'>;
  deliveries: Pick<
    Deliveries,
    | 'createFor'
    | 'sendOnDay'
    | 'waitingDays'
    | 'holdBack'
    | 'heldBackIn'
    | 'holdingBack'
    | 'haltRelease'
    | 'onEnded'
    | 'listForOwner'
    | 'stoppedOf'
    | 'letterMail'
    | 'readersOf'
    | 'newAddressLink'
    | 'newAddressUrl'
    | 'unreached'
    | 'sendToNewAddress'
    | 'tryOnceMore'
  >;
  notifications: Pick<
    Notifications,
    | 'areTextsStopped'
    | 'enqueue'
    | 'enqueueAll'
    | 'cancelFor'
    | 'cancelNotices'
    | 'onOutcome'
    | 'onBounce'
    | 'mailTroubledSince'
    | 'refusedByOwner'
    | 'holdWhileFrozen'
    | 'letGo'
  >;
  /** Plans that are paid for do not renew after a release, until the owner is back. Left out, they go on. */
  renewals?: {
    /** False if the owner has nothing that renews. */
    stop(tx: Executor, userId: string, at: Date): Promise<boolean>;
    undo(tx: Executor, userId: string, at: Date): Promise<void>;
    /** True if a release would stop the renewal of a plan now. */
    wouldStop(executor: Executor, userId: string): Promise<boolean>;
  };
  audit: Pick<Audit, 'record' | 'recordAll'>;
  log: ReleaseLog;
  /** The public address, without a path. */
  baseUrl: string;
  /** Days that contacts have to answer where the owner chose none (`RELEASE_GRACE_DAYS`). */
  answerDaysDefault: number;
  /** False where mails stay readable on this machine only. */
  isMailSetUp: boolean;
  /** Counts one use of something that could be used too often. @throws AppError RATE_LIMITED. */
  spendBudget?: (name: string, budget: { limit: number; windowMs: number }) => Promise<void>;
  /** False where texts stay unread on this machine while mails leave it; left out, it is. */
  isTextingSetUp?: boolean;
  /** Whether a text can be answered; left out, it can't. */
  textsTakeAnswers?: boolean;
  /** Who is told when the breaker stops releases. */
  adminEmail: string | null;
  /** This process's own clock; for tests whose clock is moved by hand. */
  monotonicMs?: () => number;
  /** Until when the site is known not to have answered at its address; left out, nobody watches it. */
  siteDownUntilMs?: (executor: Executor, nowMs: number) => Promise<number | null>;
  /** Shown each step in the transaction that writes it; for tests that hold what is written to what was decided. */
  onStep?: (tx: Executor, step: Step) => Promise<void>;
};

/** One step of the core: a world, what was done, what came of it, and the world from then on. */
export type Step = {
  userId: string;
  command: Command;
  before: World;
  events: readonly Event[];
  after: World;
  /** What has passed is measured at the first, what begins, begins at the second. */
  now: Mark;
  mark: Mark;
};
