import type { BackupKeep } from './nightly-backup.rules.ts';

const dayMs = 86_400_000;
const nameForm = /^everkept-(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)(\d\d)\.backup\.zst(?:\.age)?$/;

/** `everkept-2026-11-28-030012.backup.zst`, with `.age` if it is sealed to a public key. */
export function backupName(at: Date, { isSealed }: { isSealed: boolean }): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `everkept-${day}-${time.slice(0, 8).replaceAll(':', '')}.backup.zst${isSealed ? '.age' : ''}`;
}

/** Time at which a backup of this name was made; null for any other file. */
export function momentOfBackup(name: string): Date | null {
  const [, day, hours, minutes, seconds] = nameForm.exec(name) ?? [];
  if (day === undefined) return null;
  const at = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** Backups to delete: never the newest, and never a file of another program. */
export function superfluousBackups(names: readonly string[], { days, months }: BackupKeep, now: Date): string[] {
  const made = names
    .flatMap((name) => {
      const at = momentOfBackup(name);
      return at ? [{ name, at }] : [];
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const newest = made.at(-1);
  const firstOfMonth = new Map<number, string>();
  for (const { name, at } of made) if (!firstOfMonth.has(monthOf(at))) firstOfMonth.set(monthOf(at), name);
  const isKept = ({ name, at }: { name: string; at: Date }) =>
    now.getTime() - at.getTime() < days * dayMs ||
    (firstOfMonth.get(monthOf(at)) === name && monthOf(now) - monthOf(at) < months);
  return made.filter((each) => each !== newest && !isKept(each)).map(({ name }) => name);
}

/** Months since the year 0, in UTC. */
function monthOf(at: Date): number {
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}
