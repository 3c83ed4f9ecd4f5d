import { dayMs } from '#shared/rules/inactivity.ts';
import { daysBetween, dayWords } from '#shared/rules/london-day.ts';
import { bad, type Finding, poor, well } from './findings.rules.ts';

/** Dates are warned of for this long before they come: time for a registrar that answers slowly. */
export const warnedDaysMax = 60;
/** Certificates renew automatically. One with fewer days left was not renewed. */
export const certificateDaysMin = 14;
const gibibyte = 1_073_741_824;
/** A disk with less free space counts as full. */
export const freeBytesMin = gibibyte;
/** A disk with a smaller free share, and fewer than 20 GiB, is nearly full. A share alone warns forever on a large disk. */
export const freeShareMin = 0.1;
const amplyFreeBytes = 20 * gibibyte;

/** Days on which something ends, as the operator set them: `2027-03-31`. */
export type Ends = { domain: string | undefined; mail: string | undefined };

/** Findings about the days that the operator set. `today` is a day such as `2026-11-30`. */
export function findDates({ domain, mail }: Ends, today: string): Finding[] {
  const found: Finding[] = [];
  if (domain !== undefined) {
    const remedy = 'Renew it with its registrar, set ENDS_DOMAIN to the new day, and start again.';
    found.push(findDate({ what: 'domain', subject: ['The domain', 'ends', 'ended'], day: domain, today, remedy }));
  }
  if (mail !== undefined) {
    const subject = ['The mail credentials', 'end', 'ended'] as const;
    const remedy = 'Get new ones from the mail provider, set them and ENDS_MAIL, and start again.';
    found.push(findDate({ what: 'mail credentials', subject, day: mail, today, remedy }));
  }
  return found;
}

type Dated = {
  what: string;
  /** Subject with its verb, now and in the past. */
  subject: readonly [name: string, ends: string, ended: string];
  day: string;
  today: string;
  remedy: string;
};

function findDate({ what, subject: [name, ends, ended], day, today, remedy }: Dated): Finding {
  const days = daysBetween(today, day);
  const on = dayWords(day);
  if (days < 0) return bad(what, `${name} ${ended} on ${on}, ${inWords(-days)} ago.`, remedy);
  const found = days === 0 ? `${name} ${ends} today, on ${on}.` : `${name} ${ends} on ${on}, in ${inWords(days)}.`;
  return days <= warnedDaysMax ? poor(what, found, remedy) : well(what, found);
}

/** Finding about the certificate of the site. `nowMs` is the real time, since no test clock moves a certificate. */
export function findCertificate(endsAtMs: number, nowMs: number): Finding {
  const days = Math.floor((endsAtMs - nowMs) / dayMs);
  const found = `The certificate is valid for ${inWords(days, 'more')}.`;
  return days < certificateDaysMin
    ? poor('certificate', found, 'Renew it, and find out why it was not renewed automatically.')
    : well('certificate', found);
}

export const diskRemedy = 'Free some space, or move DATA_DIR to a larger disk. A full disk stores no letters.';

export function findDisk({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): Finding {
  const found = `The disk of DATA_DIR has ${(freeBytes / gibibyte).toFixed(1)} GiB free.`;
  if (freeBytes < freeBytesMin) return bad('disk', found, diskRemedy);
  return freeBytes < Math.min(totalBytes * freeShareMin, amplyFreeBytes)
    ? poor('disk', found, diskRemedy)
    : well('disk', found);
}

/** Day on which a copy of the master key was confirmed, and the version of that key. */
export type KeyCopy = { day: string; version: number };

/** Finding about the copy of the master key. `version` is that of the key in use. */
export function findKeyCopy(
  copy: KeyCopy | null,
  { version, isLocal }: { version: number; isLocal: boolean },
): Finding {
  const what = 'copy of the master key';
  const remedy =
    'Copy the master key to a place apart from this machine and from the backups. Then run everkept key copied.';
  if (copy?.version === version)
    return well(what, `A copy of master key ${version} was confirmed on ${dayWords(copy.day)}.`);
  const found = copy
    ? `Master key ${version} is in use, and the copy that was confirmed on ${dayWords(copy.day)} is of key ${copy.version}.`
    : 'No copy of the master key was confirmed. Without it nothing opens, and no backup contains it.';
  // A trial on one machine has nothing to lose.
  return isLocal ? well(what, found) : poor(what, found, remedy);
}

function inWords(days: number, between = ''): string {
  return [days, between, days === 1 ? 'day' : 'days'].filter((word) => word !== '').join(' ');
}
