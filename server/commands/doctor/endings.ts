import { isIP } from 'node:net';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { findDates, findKeyCopy, type KeyCopy } from '#server/features/service-health/endings.rules.ts';
import { type Finding, poor } from '#server/features/service-health/findings.rules.ts';
import { findKeyCopyConfirmed } from '#server/features/service-health/key-copy.repository.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { findMasterKeys } from '#server/platform/crypto/master-key.ts';
import type { Settings } from '#server/settings.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { tried } from './findings.ts';

/** Facts from the database: its time, and the confirmed copy of the master key. */
export type StoredFacts = { now: Date; copy: KeyCopy | null };

export async function readStoredFacts(client: pg.Client, { testClock }: Settings): Promise<StoredFacts> {
  const db = drizzle({ client });
  return { now: await createDatabaseClock(db, { testClock }).now(), copy: await findKeyCopyConfirmed(db) };
}

/** Findings about the days that the operator set, and the copy of the master key. Without a database, the days alone. */
export async function lookAtEndings(settings: Settings, stored: StoredFacts | undefined): Promise<Finding[]> {
  const { http, ends } = settings;
  const isNamed = !http.isLocal && isIP(new URL(http.baseUrl).hostname.replace(/^\[|\]$/g, '')) === 0;
  return [
    ...(isNamed && ends.domain === undefined ? [noDomainDay] : []),
    ...findDates(ends, londonDay(stored?.now ?? new Date())),
    ...(stored ? await lookAtKeyCopy(settings, stored) : []),
  ];
}

const noDomainDay = poor(
  'domain',
  'ENDS_DOMAIN is not set, so no one is warned before the domain ends. Every link in every letter has its name.',
  'Ask the registrar for the day on which the registration ends, set ENDS_DOMAIN, and start again.',
);

function lookAtKeyCopy({ dataDir, masterKey, http }: Settings, { copy }: StoredFacts): Promise<Finding[]> {
  return tried('copy of the master key', 'First fix the problem of the master key.', async () => {
    const keys = await findMasterKeys({ dataDir, ...masterKey });
    return keys ? [findKeyCopy(copy, { version: keys.current.version, isLocal: http.isLocal })] : [];
  });
}
