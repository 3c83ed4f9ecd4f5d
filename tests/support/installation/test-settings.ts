import { randomBytes } from 'node:crypto';
import { type Environment, readSettings, type Settings } from '#server/settings.ts';

export const testBaseUrl = 'http://localhost:3000';

/** Settings of an installation on this machine, with these changes. */
export function testSettings(environment: Environment = {}): Settings {
  const usual = { BASE_URL: testBaseUrl, MAIL_FROM: 'Everkept <hello@everkept.example>', SANDBOX_CHECKOUT: '0' };
  return readSettings({ ...usual, ...environment });
}

/** Disk without a warning, however full that of the machine is. */
export const roomyDisk = { freeBytes: 500e9, totalBytes: 1_000e9 };

export function newMasterKeys() {
  const key = randomBytes(32);
  return { current: { version: 1, key }, find: () => key };
}
