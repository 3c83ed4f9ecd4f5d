import { createAudit } from '#server/features/audit/audit.service.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createKeyRotation } from './key-rotation.service.ts';

/** A process that rotates in tiny batches, to be killed by the test in one of them. */
const { db, close } = openDatabase({
  connection: { connectionString: process.env.DATABASE_URL ?? '' },
  maxConnections: 2,
  onError: () => undefined,
});
const masterKeys = await loadMasterKeys({ dataDir: process.env.DATA_DIR ?? '' });
const clock = createDatabaseClock(db, { testClock: false });
const rotation = createKeyRotation({
  db,
  clock,
  vaults: createVaults(masterKeys),
  masterKeys,
  audit: createAudit(await createServiceKeys(db, masterKeys)),
});
await rotation.rotate({ batch: 5, settleMs: 0 });
await close();
