import type pg from 'pg';
import { isBackupLate } from '#server/features/service-health/state.rules.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { FileStore } from '#server/platform/files/file-store.ts';
import { BackupBusyError, BackupError } from './backup.format.ts';
import { makeBackup } from './backup.service.ts';
import { backupName, superfluousBackups } from './backup-names.ts';
import { packingSink } from './backup-pack.ts';
import type { BackupPlace } from './backup-places.ts';
import { practiseBackup } from './backup-practice.service.ts';
import { claimTry, noteFailed, noteGood, noteMade, notePractised, openBackupState } from './backup-state.repository.ts';
import { type BackupKeep, isBackupDue, isPracticeDue, troubledAfterMs } from './nightly-backup.rules.ts';

type NoteLook = (trouble: 'backups', look: { troubledSinceMs: number | null; reason: string | null }) => Promise<void>;
type Log = { info(details: object, message: string): void; error(details: object, message: string): void };

export type NightlyBackupDependencies = {
  db: Database;
  pool: pg.Pool;
  clock: Clock;
  store: FileStore;
  place: BackupPlace;
  keep: BackupKeep;
  /** The public key that backups are sealed to. */
  recipient: string | undefined;
  /** The file with the key that opens what is sealed to it; without one, what is sealed is not read back here. */
  identityFile: string | undefined;
  masterKeys: MasterKeys;
  /** Tells the operator, as of every other trouble of the service. */
  noteLook: NoteLook;
  log: Log;
};

/** Backups that are made by themselves: one a night, by whichever worker comes first, and the old ones removed. */
export function createNightlyBackups(deps: NightlyBackupDependencies) {
  const { db, clock, place, noteLook, log } = deps;

  async function makeOne(at: Date): Promise<void> {
    const name = backupName(at, { isSealed: deps.recipient !== undefined });
    const to = packingSink(place.sinkOf(name), deps);
    const { files, missingFiles } = await makeBackup({ ...deps, now: () => at }, { to, masterKey: null });
    const lying = await place.list();
    const sizeBytes = lying.find((each) => each.name === name)?.sizeBytes ?? null;
    await noteMade(db, { madeAt: at, name, sizeBytes });
    log.info({ name, sizeBytes, files: files.count, missingFiles: missingFiles.length }, 'a backup was made');
    const names = lying.map((each) => each.name);
    for (const superfluous of superfluousBackups(names, deps.keep, at)) await place.remove(superfluous);
    await practise(name, at);
    await noteGood(db);
  }

  /** Once a month: a backup that nobody has ever read back is a hope. */
  async function practise(name: string, at: Date): Promise<void> {
    const { practisedAt } = await openBackupState(db, place.called);
    const isOpen = deps.recipient === undefined || deps.identityFile !== undefined;
    if (!isOpen || !isPracticeDue(practisedAt?.getTime() ?? null, at.getTime())) return;
    const { identityFile, masterKeys } = deps;
    const from = { path: name, open: () => place.read(name), identityFile };
    const { letters, opened, files } = await practiseBackup(from, masterKeys);
    if (letters > 0 && opened === 0)
      throw new BackupError(`Of the backup ${name} no letter opened with the keys of here.`);
    await notePractised(db, at, opened);
    log.info({ name, letters, opened, files }, `the backup was read back, and opened ${opened} letters`);
  }

  async function tryOne(at: Date): Promise<void> {
    try {
      await makeOne(at);
    } catch (error) {
      // Somebody makes one by hand: the next look comes in time.
      if (error instanceof BackupBusyError) return;
      log.error({ err: error }, 'the backup of this night could not be made');
      await noteFailed(db, at, reasonOf(error));
    }
  }

  return {
    /** To be called again and again, every few minutes. */
    async look(): Promise<void> {
      const at = await clock.now();
      const before = await openBackupState(db, place.called);
      const known = { madeAtMs: before.madeAt?.getTime() ?? null, triedAtMs: before.triedAt?.getTime() ?? null };
      if (isBackupDue(known, at.getTime()) && (await claimTry(db, before.triedAt, at))) await tryOne(at);
      const { failingSince, madeAt, reason } = await openBackupState(db, place.called);
      await noteLook('backups', { troubledSinceMs: troubledSince({ failingSince, madeAt }, at), reason });
    },
  };
}

/** Since when the operator has to know: tries fail, or there was none when there should have been. */
function troubledSince(
  { failingSince, madeAt }: { failingSince: Date | null; madeAt: Date | null },
  at: Date,
): number | null {
  if (failingSince) return at.getTime() - failingSince.getTime() >= troubledAfterMs ? failingSince.getTime() : null;
  return madeAt && isBackupLate(madeAt.getTime(), at.getTime()) ? madeAt.getTime() : null;
}

const reasonLengthMax = 200;

/** Our own sentence, or the code of a system; what a library says may hold anything. */
function reasonOf(error: unknown): string {
  if (error instanceof BackupError) return error.message.slice(0, reasonLengthMax);
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, name: 'Error' };
  return (typeof code === 'string' ? code : name).slice(0, reasonLengthMax);
}
