import { sql } from 'drizzle-orm';
import { advanceSequences, emptyTables, listTables, loosen } from '#server/features/backup/backup.repository.ts';
import { markRestored } from '#server/features/release-health/health.ts';
import type { Machine } from './machine.ts';
import { type OwnerNotes, type When, whenOf } from './people/notes.ts';
import type { WorldTime } from './time.ts';

/** Notes that a restore reverts. Past releases and read letters stay true. */
const keptNotes = [
  'activity',
  'said',
  'lastEarly',
  'before',
  'settings',
  'letters',
  'contacts',
  'awayUntilMs',
  'frozen',
  'deleted',
  'question',
  'leftAsItIs',
  'troubled',
  'addresses',
] as const;
type Kept = Pick<OwnerNotes, (typeof keptNotes)[number]>;
type Backup = { at: Date; notes: ReadonlyMap<OwnerNotes, Kept> };

/** Further memory of people that a restore reverts: the links that have acted. */
export type Memory = { keep(): () => void };

/**
 * A backup of the database, and its restore. The service forgets answers given in between, and tells people so. Their
 * knowledge of these answers then no longer limits the service. Accepted mail stays accepted.
 */
export function createBackups({
  machine,
  time,
  owners,
  memory,
}: {
  machine: Machine;
  time: WorldTime;
  owners: readonly OwnerNotes[];
  memory: Memory;
}) {
  let restores = 0;
  let kept: { backup: Backup; forget: () => void } | null = null;
  const tablesOf = async (executor: Machine['control']) => (await listTables(executor)).map(({ name }) => name);

  return {
    /** While no process works. */
    async make(): Promise<void> {
      const { control } = machine;
      await control.execute(sql`drop schema if exists backup cascade`);
      await control.execute(sql`create schema backup`);
      for (const name of await tablesOf(control)) {
        await control.execute(sql`create table backup.${sql.identifier(name)} as table public.${sql.identifier(name)}`);
      }
      const notes = new Map(owners.map((owner) => [owner, keptOf(owner)]));
      kept = { backup: { at: new Date(time.wallMs()), notes }, forget: memory.keep() };
    },

    /** With no process alive. @returns false where there is no backup. */
    async restore(): Promise<boolean> {
      if (!kept) return false;
      restores += 1;
      const { backup, forget } = kept;
      await machine.control.transaction(async (tx) => {
        const tighten = await loosen(tx);
        const tables = await listTables(tx);
        await emptyTables(tx);
        for (const { name, columns } of tables) {
          const table = sql.identifier(name);
          // Columns that PostgreSQL generates are left out.
          const kept = sql.join(
            columns.map((column) => sql.identifier(column)),
            sql`, `,
          );
          await tx.execute(
            sql`insert into public.${table} (${kept}) overriding system value select ${kept} from backup.${table}`,
          );
        }
        await tighten();
        await advanceSequences(tx);
        await markRestored(tx, { backupAt: backup.at });
      });
      for (const owner of owners) bringBack(owner, backup.notes.get(owner), whenOf(time));
      forget();
      return true;
    },
    restores: () => restores,
  };
}

function keptOf(owner: OwnerNotes): Kept {
  return structuredClone(Object.fromEntries(keptNotes.map((name) => [name, owner[name]]))) as Kept;
}

/** People keep what they know of each other, so what they hold in hands is changed, and not replaced. */
function bringBack(owner: OwnerNotes, before: Kept | undefined, restored: When): void {
  if (!before) return;
  const { contacts, letters, ...rest } = before;
  Object.assign(owner, rest, { restored });
  for (const contact of owner.contacts) {
    const known = contacts.find(({ email }) => email === contact.email);
    Object.assign(contact, known ?? { isRemoved: true, confirmed: null });
  }
  for (const letter of owner.letters) {
    const known = letters.find(({ title }) => title === letter.title);
    Object.assign(letter, known ?? { status: 'deleted' });
  }
}
