import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';

/** Who asks, as the session says. */
export type Administrator = {
  principal: { userId: string; isAdministrator: boolean; authenticatedAt: Date; secondFactorAt: Date | null };
  origin: RequestOrigin;
};

export type Act = {
  /** As `admin.verb`. */
  action: string;
  resource: string;
  /** What it was done to; for an account, its owner's id. */
  resourceId?: string;
  details?: Record<string, unknown>;
  at: Date;
};

export type AccountAct = Omit<Act, 'resource'> & { resourceId: string };

export type Administration = {
  /** @throws AppError `FORBIDDEN` for anybody but the designated administrator. */
  requireAdministrator(administrator: Administrator): void;
  /** Before anything is changed. @throws AppError `FORBIDDEN` or `REAUTHENTICATION_REQUIRED`. */
  requireFresh(administrator: Administrator): Promise<void>;
  /** Writes an act into the administrator's own log. */
  recordAct(tx: Executor, administrator: Administrator, act: Act): Promise<void>;
  /**
   * Writes an act on an account into the log of its owner, who reads it, and of the administrator. The owner learns who
   * acted and not from where. The owner's row is locked.
   */
  recordActOnAccount(tx: Executor, administrator: Administrator, act: AccountAct): Promise<void>;
};

type Dependencies = { freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>; audit: Pick<Audit, 'record'> };

/** What every act of the administrator has in common: who may, and what is written down. */
export function createAdministration({ freshSignIns, audit }: Dependencies): Administration {
  function requireAdministrator({ principal }: Administrator): void {
    if (!principal.isAdministrator) throw new AppError('FORBIDDEN', 'Only the administrator can do this.');
  }

  async function recordAct(tx: Executor, { principal, origin }: Administrator, act: Act): Promise<void> {
    await audit.record(tx, { ...act, userId: principal.userId, origin });
  }

  return {
    requireAdministrator,
    recordAct,

    async requireFresh(administrator) {
      requireAdministrator(administrator);
      await freshSignIns.requireFreshSignIn(administrator.principal);
    },

    async recordActOnAccount(tx, administrator, given) {
      const act = { ...given, resource: 'account' };
      const actor = administrator.principal.userId;
      const isOwn = act.resourceId === actor;
      if (!isOwn) await audit.record(tx, { ...act, userId: act.resourceId, details: { ...act.details, actor } });
      await recordAct(tx, administrator, act);
    },
  };
}
