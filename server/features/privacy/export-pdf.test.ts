import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ExportedMessage, ExportSource } from './export.source.ts';
import { setBook } from './export-pdf.ts';

const at = new Date('2026-11-21T12:00:00Z');
const lettersInVault = 20;

/** A vault of letters, which notes what of it was opened. */
function vaultOf(onOpen: (letter: { round: number; number: number }) => void) {
  const opened: string[] = [];
  let round = 0;
  async function* messages(): AsyncGenerator<ExportedMessage> {
    round += 1;
    for (let number = 1; number <= lettersInVault; number += 1) {
      opened.push(`letter ${number} of round ${round}`);
      onOpen({ round, number });
      const words = {
        title: 'Nell',
        content: 'Dear Nell',
        recipientEmail: 'nell@family.example',
        encryptedContent: null,
      };
      const states = { category: 'personal', status: 'ready', visibleToTrustedContact: false } as const;
      const fields = { ...words, ...states, id: String(number), deliveredAt: null, createdAt: at, updatedAt: at };
      yield { fields, attachment: null };
    }
  }
  const noted = (part: string) => async () => {
    opened.push(part);
    return [];
  };
  const account = async () => ({ firstName: 'Sam', lastName: null, email: 'sam@family.example' });
  const rest = { documents: noted('documents'), contacts: noted('contacts'), auditLog: noted('log') };
  return { opened, source: { account, messages, ...rest } as unknown as ExportSource };
}

const options = { includeDocuments: true, includeAuditLogs: true, exportedAt: at };

test.each([
  ['counted', 1],
  ['set', 2],
])('a book that nobody reads any more opens no other letter while they are %s', async (_, roundLeft) => {
  const out = new PassThrough();
  out.resume();
  const { source, opened } = vaultOf(({ round, number }) => {
    if (round === roundLeft && number === 3) out.destroy();
  });
  await setBook(source, options, out);
  expect(opened).toHaveLength((roundLeft - 1) * lettersInVault + 3);
  expect(opened.at(-1)).toBe(`letter 3 of round ${roundLeft}`);
});

test('a book that is read has all there is', async () => {
  const out = new PassThrough();
  out.resume();
  const { source, opened } = vaultOf(() => undefined);
  await setBook(source, options, out);
  expect(opened).toHaveLength(2 * lettersInVault + 3);
});
