import type { App } from '#server/app.ts';
import { isBackupLate } from '#server/features/service-health/state.rules.ts';
import { BackupBusyError, BackupError } from './backup.format.ts';
import { makeBackup } from './backup.service.ts';
import { backupName, superfluousBackups } from './backup-names.ts';
import { packingSink } from './backup-pack.ts';
import type { BackupPlace } from './backup-places.ts';
import { practiseBackup } from './backup-practice.service.ts';
import { claimTry, noteFailed, noteGood, noteMade, notePractised, openBackupState } from './backup-state.repository.ts';
import { isBackupDue, isPracticeDue, troubledAfterMs } from './nightly-backup.rules.ts';

type Report = { troubledSinceMs: number | null; reason: string | null };

/**
 * Makes the backup of a night if it is due and no other worker makes it, and removes old ones. Call it every few minutes.
 * Returns the trouble for the operator.
 */
export async function makeDueBackup(app: App, place: BackupPlace): Promise<Report> {
  const { db } = app;
  const at = await app.clock.now();
  const before = await openBackupState(db, place.called);
  const known = { madeAtMs: before.madeAt?.getTime() ?? null, triedAtMs: before.triedAt?.getTime() ?? null };
  if (isBackupDue(known, at.getTime()) && (await claimTry(db, before.triedAt, at))) await tryOne(app, place, at);
  const { failingSince, madeAt, reason } = await openBackupState(db, place.called);
  return { troubledSinceMs: troubledSince({ failingSince, madeAt }, at), reason };
}

async function tryOne(app: App, place: BackupPlace, at: Date): Promise<void> {
  try {
    await makeOne(app, place, at);
  } catch (error) {
    // An operator is making a backup by hand. The next call tries again.
    if (error instanceof BackupBusyError) return;
    app.log.error({ err: error }, 'the backup of this night could not be made');
    await noteFailed(app.db, at, reasonOf(error));
  }
}

async function makeOne(app: App, place: BackupPlace, at: Date): Promise<void> {
  const { keep, recipient } = app.settings.backups;
  const name = backupName(at, { isSealed: recipient !== undefined });
  const to = packingSink(place.sinkOf(name), { recipient });
  const { files, missingFiles } = await makeBackup({ ...app, now: () => at }, { to, masterKey: null });
  const stored = await place.list();
  const sizeBytes = stored.find((each) => each.name === name)?.sizeBytes ?? null;
  await noteMade(app.db, { madeAt: at, name, sizeBytes });
  app.log.info({ name, sizeBytes, files: files.count, missingFiles: missingFiles.length }, 'a backup was made');
  const names = stored.map((each) => each.name);
  for (const superfluous of superfluousBackups(names, keep, at)) await place.remove(superfluous);
  await practise(app, place, { name, at });
  await noteGood(app.db);
}

/** Reads the backup back once a month, because only a restored backup is proven. */
async function practise(app: App, place: BackupPlace, { name, at }: { name: string; at: Date }): Promise<void> {
  const { db, log, masterKeys, settings } = app;
  const { recipient, identityFile } = settings.backups;
  const { practisedAt } = await openBackupState(db, place.called);
  const isOpen = recipient === undefined || identityFile !== undefined;
  if (!isOpen || !isPracticeDue(practisedAt?.getTime() ?? null, at.getTime())) return;
  const from = { path: name, open: () => place.read(name), identityFile };
  const { letters, opened, files } = await practiseBackup(from, masterKeys);
  if (letters > 0 && opened === 0) throw new BackupError(`No letter of the backup ${name} opened with the keys here.`);
  await notePractised(db, at, opened);
  log.info({ name, letters, opened, files }, `the backup was read back, and opened ${opened} letters`);
}

/** Time since which there is trouble to report: tries fail, or an expected backup is missing. */
function troubledSince(
  { failingSince, madeAt }: { failingSince: Date | null; madeAt: Date | null },
  at: Date,
): number | null {
  if (failingSince) return at.getTime() - failingSince.getTime() >= troubledAfterMs ? failingSince.getTime() : null;
  return madeAt && isBackupLate(madeAt.getTime(), at.getTime()) ? madeAt.getTime() : null;
}

const reasonLengthMax = 200;

/** Our own sentence, or a system's error code. A library's message may contain secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof BackupError) return error.message.slice(0, reasonLengthMax);
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, name: 'Error' };
  return (typeof code === 'string' ? code : name).slice(0, reasonLengthMax);
}
