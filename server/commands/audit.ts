import { createAudit } from '#server/features/audit/audit.service.ts';
import { openGround } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const auditCommand: Command = {
  usage: ['audit verify [--json]'],
  wordsMax: 1,
  summary: 'Reads the whole audit log and says where a row was removed, changed or moved. Ends with 1 where one was.',
  async run([verb], { json }) {
    if (verb !== 'verify') throw new CommandError('Say audit verify.', 2);
    const ground = await openGround(loadSettings());
    try {
      const found = await createAudit().verify(ground.db);
      const { ok, rows, firstBroken } = found;
      if (json) console.log(JSON.stringify(found));
      else if (ok) console.log(`The audit log is whole: ${rows} rows.`);
      const where = `row ${firstBroken?.position} of the chain ${firstBroken?.chain}`;
      if (!ok) throw new CommandError(`The audit log was changed after it was written: first at ${where}.`);
    } finally {
      await ground.close();
    }
  },
};
