import { createCrowd } from '#server/demo/crowd.ts';
import { appendRows } from '#server/features/audit/audit.repository.ts';
import { createAuditKeys } from '#server/features/audit/audit-keys.ts';
import { type AuditEntry, auditRowOf } from '#server/features/audit/record.ts';
import { lookAround } from '#server/features/backup/backup.repository.ts';
import { openGround } from '#server/ground.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

const ownersUsual = 10_000;
const ownersMax = 10_000_000;

export const benchDataCommand: Command = {
  usage: ['bench-data [--owners N] [--json]'],
  summary: `Fills an empty installation with invented owners, ${ownersUsual.toLocaleString('en-GB')} by default, to measure the load of that number.`,
  takes: ['owners'],
  async run(_words, { json, given }) {
    const owners = ownersOf(given.get('owners'));
    const settings = loadSettings();
    // Some of them are silent, and would be written to.
    if (settings.mail.smtpUrl !== undefined) {
      throw new CommandError(
        'SMTP_URL is set, and invented owners have no mailboxes. Run this command without SMTP_URL.',
      );
    }
    const ground = await openGround({ ...settings, logLevel: 'silent' });
    try {
      if ((await lookAround(ground.db)) !== 'unused') {
        throw new CommandError(
          'This installation has been used already. Invented owners need an empty one, such as another DATA_DIR.',
        );
      }
      const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
      const keys = createAuditKeys(await createServiceKeys(ground.db, masterKeys));
      const append = (tx: Executor, entries: readonly AuditEntry[]) => appendRows(tx, keys, entries.map(auditRowOf));
      const now = await createDatabaseClock(ground.db, { testClock: settings.testClock }).now();
      const startedMs = performance.now();
      await createCrowd({
        ...{ db: ground.db, vaults: createVaults(masterKeys), append, owners, now },
        onProgress: (made) => {
          if (made % 100_000 === 0) console.error(`${made.toLocaleString('en-GB')} owners …`);
        },
      });
      const seconds = (performance.now() - startedMs) / 1_000;
      if (json) console.log(JSON.stringify({ owners, seconds }));
      else
        console.log(
          `${owners.toLocaleString('en-GB')} owners were made in ${seconds.toFixed(0)} s. None of them can sign in.`,
        );
    } finally {
      await ground.close();
    }
  },
};

function ownersOf(given: string | undefined): number {
  if (given === undefined) return ownersUsual;
  const owners = /^\d+$/.test(given) ? Number(given) : 0;
  if (owners >= 1 && owners <= ownersMax) return owners;
  throw new CommandError(
    `Give a whole number of owners from 1 to ${ownersMax.toLocaleString('en-GB')}: --owners 100000.`,
    2,
  );
}
