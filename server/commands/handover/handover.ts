import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { findKeyCopyConfirmed } from '#server/features/service-health/key-copy.repository.ts';
import { openGround } from '#server/ground.ts';
import { findMasterKeys } from '#server/platform/crypto/master-key.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import type { Command } from '../command.ts';
import { type Found, type Section, sheetOf } from './sheet.ts';

export const handoverCommand: Command = {
  usage: ['handover [--json]'],
  summary:
    'Prints a sheet for the person who looks after this installation when you cannot: what runs where, the commands, ' +
    'where backups and the master key are, and whom to write to. It holds no secret. Print it, and fill in its blanks by hand.',
  async run(_words, { json }) {
    const settings = loadSettings();
    const sections = sheetOf(settings, {
      today: londonDay(new Date()),
      machine: hostname(),
      folder: process.cwd(),
      hasEnvFile: existsSync('.env'),
      ...(await findKeys(settings)),
    });
    if (json) console.log(JSON.stringify({ sections }));
    else for (const section of sections) console.log(textOf(section));
  },
};

/** A stand-in may need the sheet when database or master key are gone, so it is printed without them too. */
async function findKeys(settings: Settings): Promise<Pick<Found, 'keyVersion' | 'keyCopy'>> {
  let keyVersion: Found['keyVersion'] = 'unknown';
  try {
    const keys = await findMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
    keyVersion = keys?.current.version ?? null;
    const ground = await openGround(settings, { tables: 'any' });
    try {
      return { keyVersion, keyCopy: await findKeyCopyConfirmed(ground.db) };
    } finally {
      await ground.close();
    }
  } catch {
    return { keyVersion, keyCopy: 'unknown' };
  }
}

function textOf({ title, lines }: Section): string {
  return [title.toUpperCase(), ...lines.map((line) => `  ${line}`), ''].join('\n');
}
