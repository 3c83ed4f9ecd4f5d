import { sql } from 'drizzle-orm';
import type { Readiness } from '#server/http/health.ts';
import type { Installation } from './installation.ts';
import type { Worker } from './worker.ts';

/** A connection that went silent is told of for so long, to whoever looks why something stood still. */
const silenceToldMs = 10 * 60_000;

type Needed = Pick<Installation, 'db' | 'silences'>;
type Process = {
  /** What this process does without being asked; left out where it only serves the site. */
  worker?: Pick<Worker, 'trouble'> | undefined;
  /** It was told to end, and a balancer should look elsewhere. */
  isEnding?: boolean;
};

/**
 * Whether this process can do its work: its database answers, its rounds come to an end, and it is not about to end. Of other
 * processes, and of the installation as a whole, the metrics and `everkept doctor` tell: a site whose worker is away for a
 * moment serves as well as any.
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
  return { detail: `A connection went silent and was given up at ${lastAt.toISOString()}; new ones work.` };
}
