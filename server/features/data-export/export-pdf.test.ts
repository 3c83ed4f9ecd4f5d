import { buffer } from 'node:stream/consumers';
import { extractText, getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { attachmentsOf, hanFacesOf } from '#server/platform/pdf/attachments.test-world.ts';
import type { ExportedMessage, ExportSource } from './export.source.ts';
import { stepsOf, writePdf } from './export-pdf.ts';

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
        recipients: [],
        showRecipients: false,
        deliverOn: null,
        announceWait: false,
        position: number,
        encryptedContent: null,
      };
      const states = { category: 'personal', status: 'ready', visibleToTrustedContact: false } as const;
      const fields = { ...words, ...states, id: String(number), deliveredAt: null, createdAt: at, updatedAt: at };
      const said = { attachmentTranscript: null };
      yield { fields: { ...fields, ...said }, attachment: null, enclosures: [] };
    }
  }
  const noted = (part: string) => async () => {
    opened.push(part);
    return [];
  };
  const account = async () => ({ firstName: 'Sam', lastName: null, email: 'sam@family.example' });
  const rest = {
    documents: noted('documents'),
    contacts: noted('contacts'),
    firstWeeks: noted('first weeks'),
    auditLog: noted('log'),
  };
  return { opened, source: { account, messages, ...rest } as unknown as ExportSource };
}

const options = { includeDocuments: true, includeAuditLogs: true, exportedAt: at };

test('a book opens no other letter after its thread stops asking for steps', async () => {
  const { source, opened } = vaultOf(() => undefined);
  for await (const steps of stepsOf(source, options)) {
    if (steps.some((step) => step.do === 'begin' && step.title === 'Nell')) break;
  }
  expect(opened).toHaveLength(lettersInVault + 1);
});

test('a book that is read has every letter and list', async () => {
  const { source, opened } = vaultOf(() => undefined);
  await buffer(await writePdf(source, options, { owner: 'sam' }));
  expect(opened).toHaveLength(2 * lettersInVault + 4);
});

test('lists documents whether or not their files were wanted, and tells the log in words, by the clock in London', async () => {
  const { source } = vaultOf(() => undefined);
  const fields = { name: 'The will', category: 'legal', description: null, createdAt: at, problem: undefined };
  const documents = async () => [{ fields, file: { facts: { name: 'will.pdf' } } }];
  // Summer time: half past eleven at night, London.
  const signedIn = new Date('2026-07-01T22:30:00Z');
  const entry = { createdAt: signedIn, action: 'session.start', details: { method: 'password' } };
  const changed = { ...source, documents, auditLog: async () => [entry] } as unknown as ExportSource;
  const bytes = await buffer(await writePdf(changed, { ...options, includeDocuments: false }, { owner: 'sam' }));
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  const words = text.replace(/\s+/g, ' ');
  expect(words).toContain('The will');
  expect(words).toContain('will.pdf');
  expect(words).toContain('1 Jul 2026, 23:30 You signed in');
  expect(words).not.toContain('session.start');
});

test('carries every text that it cannot show, and says so beside it', async () => {
  const { source } = vaultOf(() => undefined);
  const rare = 'ᏣᎳᎩ';
  async function* messages() {
    for await (const letter of source.messages()) {
      yield { ...letter, fields: { ...letter.fields, title: `For ${rare}` } };
      return;
    }
  }
  const account = async () => ({ firstName: rare, lastName: null, email: 'sam@family.example' });
  const fields = { name: `${rare} will`, category: 'legal', description: null, createdAt: at, problem: undefined };
  const documents = async () => [{ fields, file: { facts: { name: 'will.pdf' } } }];
  const contact = { name: rare, email: 'ada@post.example', phone: null, relationship: null, isConfirmed: true };
  const contacts = async () => [contact];
  const changed = { ...source, account, messages, documents, contacts } as unknown as ExportSource;
  const bytes = await buffer(await writePdf(changed, options, { owner: 'sam' }));
  const carried = await attachmentsOf(bytes);
  expect(Object.keys(carried).sort()).toEqual(
    ['contacts.txt', 'contents.txt', 'documents.txt', 'letter-001.txt', 'title-page.txt'].sort(),
  );
  for (const words of Object.values(carried)) expect(words).toContain(rare);
  const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
  expect(text.match(/Some characters cannot be shown here/g)).toHaveLength(Object.keys(carried).length);
});

/** A vault with these letters alone. */
function vaultWith(letters: readonly { title: string; content: string }[]): ExportSource {
  const { source } = vaultOf(() => undefined);
  async function* messages() {
    for await (const letter of source.messages()) {
      const words = letters[Number(letter.fields.id) - 1];
      if (words) yield { ...letter, fields: { ...letter.fields, ...words } };
    }
  }
  return { ...source, messages } as unknown as ExportSource;
}

test.each([
  ['its own kana', [{ title: '遺言書', content: '親愛なるネルへ。' }], 'BIZUDPMincho'],
  [
    'the kana of another letter',
    [
      { title: '遺言書', content: '直子' },
      { title: '母へ', content: 'ありがとう' },
    ],
    'BIZUDPMincho',
  ],
  ['nothing', [{ title: '遺言書', content: '直子' }], 'CactusClassicalSerif'],
])(
  'a title in Chinese characters alone has the forms that %s tells, also in the contents',
  async (_, letters, face) => {
    const bytes = await buffer(await writePdf(vaultWith(letters), options, { owner: 'sam' }));
    expect(hanFacesOf(bytes)).toEqual([face]);
  },
);

test('a Chinese letter keeps its forms in a vault of Japanese letters', async () => {
  const letters = [
    { title: '妈妈', content: '谢谢' },
    { title: '母へ', content: 'ありがとうございました' },
  ];
  const bytes = await buffer(await writePdf(vaultWith(letters), options, { owner: 'sam' }));
  expect(hanFacesOf(bytes)).toEqual(['BIZUDPMincho', 'CactusClassicalSerif']);
});
