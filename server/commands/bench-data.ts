import { createCrowd } from '#server/demo/crowd.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { lookAround } from '#server/features/backup/backup.repository.ts';
import { openGround } from '#server/installation.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

const ownersUsual = 10_000;
const ownersMax = 10_000_000;

export const benchDataCommand: Command = {
  usage: ['bench-data [--owners N] [--json]'],
  summary: `Fills an empty installation with invented owners, ${ownersUsual.toLocaleString('en-GB')} where it is not said, to measure what so many cost.`,
  takes: ['owners'],
  async run(_words, { json, given }) {
    const owners = ownersOf(given.get('owners'));
    const settings = loadSettings();
    // Some of them are silent, and would be written to.
    if (settings.mail.smtpUrl !== undefined) {
      throw new CommandError('SMTP_URL is set, and a crowd that nobody belongs to has no mailboxes. Run it without.');
    }
    const ground = await openGround({ ...settings, logLevel: 'silent' });
    try {
      if ((await lookAround(ground.db)) !== 'unused') {
        throw new CommandError(
          'People use this place already, or did once. A crowd needs an empty one: another DATA_DIR will do.',
        );
      }
      const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
      const audit = createAudit(await createServiceKeys(ground.db, masterKeys));
      const now = await createDatabaseClock(ground.db, { testClock: settings.testClock }).now();
      const startedMs = performance.now();
      await createCrowd({
        ...{ db: ground.db, vaults: createVaults(masterKeys), audit, owners, now },
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
