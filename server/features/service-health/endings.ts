import type { App } from '#server/app.ts';
import { readCertificateEnd } from '#server/platform/site/ask.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { findCertificate, findDates, findDisk, findKeyCopy } from './endings.rules.ts';
import type { Finding } from './findings.rules.ts';
import { findKeyCopyConfirmed } from './key-copy.repository.ts';

/** Returns the warnings of the operator's daily mail: something ends soon, is nearly full, or was never copied. */
export async function findWarnings(app: App): Promise<Finding[]> {
  const { db, clock, settings, masterKeys, baseUrl } = app;
  const { isLocal } = settings.http;
  const [now, copy, disk, certificateEndsAt] = await Promise.all([
    clock.now(),
    findKeyCopyConfirmed(db),
    // A disk or a site that does not answer has alarms of its own, and must not cost the operator this mail.
    app.readDisk().catch(() => null),
    readCertificateEnd(baseUrl).catch(() => null),
  ]);
  const findings = [
    ...findDates(settings.ends, londonDay(now)),
    ...(certificateEndsAt ? [findCertificate(certificateEndsAt.getTime(), app.realNowMs())] : []),
    ...(disk ? [findDisk(disk)] : []),
    findKeyCopy(copy, { version: masterKeys.current.version, isLocal }),
  ];
  return findings.filter(({ state }) => state !== 'well');
}
