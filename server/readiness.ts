import { sql } from 'drizzle-orm';
import type { Readiness } from '#server/http/health.ts';
import type { App } from './app.ts';
import type { Worker } from './worker.ts';

/** Time for which a silent connection is reported to an operator who looks for the cause of a delay. */
const silenceToldMs = 10 * 60_000;

type Needed = Pick<App, 'db' | 'silences'>;
type Process = {
  /** Background work of this process. Undefined if it only serves the site. */
  worker?: Pick<Worker, 'trouble'> | undefined;
  /** True once it was asked to end: a load balancer should choose another process. */
  isEnding?: boolean;
};

/**
 * Checks if this process can do its work: its database answers, its rounds finish, and it is not about to end. The
 * metrics and `everkept doctor` report other processes and the installation as a whole. A site serves just as well
 * while its worker is away for a moment.
 */
export async function readinessOf({ db, silences }: Needed, { worker, isEnding }: Process = {}): Promise<Readiness> {
  const database = await db.execute(sql`select 1`).then(
    () => ({ ok: true, ...silenceOf(silences()) }),
    () => ({ ok: false, detail: 'The database does not answer.' }),
  );
  const trouble = worker?.trouble() ?? null;
  return {
    database,
    ...(worker && { work: trouble === null ? { ok: true } : { ok: false, detail: trouble } }),
    ...(isEnding && { process: { ok: false, detail: 'This process is about to end.' } }),
  };
}

function silenceOf({ lastAt }: ReturnType<Needed['silences']>): { detail?: string } {
  if (lastAt === null || Date.now() - lastAt.getTime() > silenceToldMs) return {};
  return { detail: `A connection went silent and was closed at ${lastAt.toISOString()}. New ones work.` };
}
