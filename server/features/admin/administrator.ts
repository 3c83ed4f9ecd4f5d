import type { App } from '#server/app.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';

export type Administrator = {
  principal: { userId: string; isAdministrator: boolean; authenticatedAt: Date; secondFactorAt: Date | null };
  origin: RequestOrigin;
};

export type Act = {
  /** Action as `admin.verb`. */
  action: string;
  resource: string;
  /** Id of the row that was changed. For an account, its owner's id. */
  resourceId?: string;
  details?: Record<string, unknown>;
  at: Date;
};

export type AccountAct = Omit<Act, 'resource'> & { resourceId: string };

/** @throws AppError `FORBIDDEN` for everyone but the designated administrator. */
export function requireAdministrator({ principal }: Administrator): void {
  if (!principal.isAdministrator) throw new AppError('FORBIDDEN', 'Only the administrator can do this.');
}

/** Call it before each change. @throws AppError `FORBIDDEN` or `REAUTHENTICATION_REQUIRED`. */
export async function requireFreshAdministrator(app: App, administrator: Administrator): Promise<void> {
  requireAdministrator(administrator);
  await requireFreshSignIn(app, administrator.principal);
}

/** Adds an act to the administrator's own audit log. */
export async function recordAct(app: App, tx: Executor, administrator: Administrator, act: Act): Promise<void> {
  const { principal, origin } = administrator;
  await recordAudit(app, tx, { ...act, userId: principal.userId, origin });
}

/**
 * Adds an act on an account to the log of its owner, who can read it, and to the administrator's. The owner's log names the
 * administrator, without the source of the request. The owner's row is locked.
 */
export async function recordActOnAccount(
  app: App,
  tx: Executor,
  administrator: Administrator,
  given: AccountAct,
): Promise<void> {
  const act = { ...given, resource: 'account' };
  const actor = administrator.principal.userId;
  if (act.resourceId !== actor) {
    await recordAudit(app, tx, { ...act, userId: act.resourceId, details: { ...act.details, actor } });
  }
  await recordAct(app, tx, administrator, act);
}
