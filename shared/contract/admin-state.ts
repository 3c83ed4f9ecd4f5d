import { z } from 'zod';
import { instant } from '#shared/contract/fields.ts';
import { releaseStates } from '#shared/contract/release/release.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { troubles } from '#shared/rules/troubles.ts';

/** Mail and texts that were given up are counted for so long. */
export const givenUpDays = 7;

const count = z.int().nonnegative();

const postSchema = z.object({
  /** False if mail stays on this machine, to be read there. */
  isSetUp: z.boolean(),
  /**
   * Mails that are due but not sent, and the part of them with a failed attempt. Mails for a later day are not
   * counted.
   */
  waiting: count,
  failing: count,
  /** Time when the one that waits for longest was to leave; null if none waits. */
  oldestDueAt: instant.nullable(),
  /** In the last 24 hours. */
  accepted: count,
  /** In the last `givenUpDays`: refused permanently, or tried for as long as we try. */
  givenUp: count,
  /** Since when something was due and nothing was accepted; null while all is well. */
  troubledSince: instant.nullable(),
});

export const adminStateSchema = z
  .object({
    at: instant,
    /** True if an operator's address is set (`ADMIN_EMAIL`), to which alarms go. */
    isOperatorSet: z.boolean(),
    worker: z.object({
      /** `never`: none has run here yet. */
      state: z.enum(['runs', 'silent', 'never']),
      lastBeatAt: instant.nullable(),
    }),
    /** As a worker sees it that asks the public address. */
    site: z.object({
      /** `unknown`: no worker asks, or it never answered there. */
      state: z.enum(['answers', 'silent', 'unknown']),
      address: z.string(),
      answeredAt: instant.nullable(),
      silentSince: instant.nullable(),
      /** Reason for the missing answer: an HTTP status or a network error code. */
      reason: z.string().nullable(),
    }),
    clock: z.object({
      /** Difference between the clock of this process and the database's clock. */
      differenceMs: count,
      isRight: z.boolean(),
      /** The clock was ahead once: nothing moves forward before this time. */
      behindUntil: instant.nullable(),
    }),
    mail: postSchema.extend({
      /**
       * Domains that refused our mail in the last 24 hours for a reason that is none of the mailbox, ten at most. `domain` is null
       * if its name is not stored any more. `isMassRefusal`: too many of its mailboxes refuse at once to count as closed.
       */
      refusedBy: z.array(
        z.object({ domain: z.string().nullable(), mails: count, mailboxes: count, isMassRefusal: z.boolean() }),
      ),
    }),
    texts: postSchema,
    /** The operator's own notifier. */
    webhook: postSchema,
    releases: z.object({
      open: z.array(z.object({ state: z.enum(releaseStates), owners: count })),
      /** Everything that reaches contacts or recipients is stopped. */
      frozen: z.object({ since: instant, by: z.enum(['operator', 'restore']), reason: z.string() }).nullable(),
      /** The breaker has stopped what silence alone would do. */
      silenceStoppedAt: instant.nullable(),
      /** Owners stopped by name, and mailboxes held for the operator. */
      frozenOwners: count,
      heldMailboxes: count,
      /** Early releases to many new mailboxes that wait for the operator. */
      earlyReviews: count,
    }),
    seals: z.object({
      /** Time when everything that is sealed was last opened; null before the first time. */
      checkedAt: instant.nullable(),
      isLate: z.boolean(),
      broken: count,
    }),
    backup: z.object({
      /** True if one is made every night (`BACKUP_TO`). */
      isSetUp: z.boolean(),
      madeAt: instant.nullable(),
      isLate: z.boolean(),
      sizeBytes: count.nullable(),
      /** Time when one was last read back, and how many letters opened. */
      practisedAt: instant.nullable(),
      lettersOpened: count.nullable(),
      /** Since when none could be made or read back, and why; null while all is well. */
      failingSince: instant.nullable(),
      reason: z.string().nullable(),
    }),
    log: z.object({
      /** The last day (UTC) whose line of the audit log was written down, as `2026-11-24`. */
      anchoredOn: z.string().nullable(),
    }),
    /** Troubles that the operator was notified of, or is about to be. */
    alerts: z.array(z.object({ trouble: z.enum(troubles), since: instant, toldAt: instant.nullable() })),
  })
  .meta({ id: 'AdminState' });

export type AdminState = z.input<typeof adminStateSchema>;

export const getAdminState = defineRoute({
  method: 'GET',
  path: '/api/admin/state',
  access: 'administrator',
  summary: 'How the service itself stands: worker, site, clock, post, releases, seals. Nothing of any vault',
  answer: adminStateSchema,
});
