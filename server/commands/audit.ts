import { readAnchorLine } from '#server/features/audit/audit.rules.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { openGround } from '#server/installation.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const auditCommand: Command = {
  usage: ['audit verify [--anchor "LINE"] [--json]'],
  wordsMax: 1,
  takes: ['anchor'],
  summary:
    'Reads the whole audit log and says where a row was removed, changed or moved, and which day no longer agrees with ' +
    'its anchor: those that are stored, and the line of a mail or a log that is given. Ends with 1 where one does not.',
  async run([verb], { json, given }) {
    if (verb !== 'verify') throw new CommandError('Say audit verify.', 2);
    const line = given.get('anchor');
    const anchor = line === undefined ? null : readAnchorLine(line);
    if (line !== undefined && !anchor) {
      throw new CommandError('Give the whole line of an anchor: everkept-audit-anchor DAY chains=… rows=… hmac=…', 2);
    }
    const settings = loadSettings();
    const ground = await openGround(settings);
    try {
      const masterKeys = await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
      const audit = createAudit(await createServiceKeys(ground.db, masterKeys));
      const found = await audit.verify(ground.db, anchor ? [anchor] : []);
      const { ok, rows, anchors, firstBroken, firstBrokenDay } = found;
      if (json) console.log(JSON.stringify(found));
      else if (ok) console.log(`The audit log is whole: ${rows} rows, ${anchors} anchored days.`);
      if (ok) return;
      const where = firstBroken
        ? `first at row ${firstBroken.position} of the chain ${firstBroken.chain}`
        : `the first day that no longer agrees with its anchor is ${firstBrokenDay}`;
      throw new CommandError(`The audit log was changed after it was written: ${where}.`);
    } finally {
      await ground.close();
    }
  },
};
