import { readAnchorLine } from '#server/features/audit/audit.rules.ts';
import { createAuditKeys } from '#server/features/audit/audit-keys.ts';
import { verifyLog } from '#server/features/audit/audit-verification.ts';
import { openGround } from '#server/ground.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const auditCommand: Command = {
  usage: ['audit verify [--anchor "LINE"] [--json]'],
  wordsMax: 1,
  takes: ['anchor'],
  summary:
    'Reads the whole audit log. Reports rows that were removed, changed or moved, and days that no longer match ' +
    'their anchor: each stored anchor, and a line from a mail or a log that you give. Exits with 1 if one does not match.',
  async run([verb], { json, given }) {
    if (verb !== 'verify') throw new CommandError('Use audit verify.', 2);
    const line = given.get('anchor');
    const anchor = line === undefined ? null : readAnchorLine(line);
    if (line !== undefined && !anchor) {
      throw new CommandError('Give the whole line of an anchor: everkept-audit-anchor DAY chains=… rows=… hmac=…', 2);
    }
    const settings = loadSettings();
    const ground = await openGround(settings);
    try {
      const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
      const keys = createAuditKeys(await createServiceKeys(ground.db, masterKeys));
      const found = await verifyLog(ground.db, keys, anchor ? [anchor] : []);
      const { ok, rows, anchors, firstBroken, firstBrokenDay } = found;
      if (json) console.log(JSON.stringify(found));
      else if (ok) console.log(`The audit log is whole: ${rows} rows, ${anchors} anchored days.`);
      if (ok) return;
      const where = firstBroken
        ? `first at row ${firstBroken.position} of the chain ${firstBroken.chain}`
        : `the first day that no longer matches its anchor is ${firstBrokenDay}`;
      throw new CommandError(`The audit log was changed after it was written: ${where}.`);
    } finally {
      await ground.close();
    }
  },
};
