import { describe, expect, it, onTestFinished } from 'vitest';
import { startMailServer } from '#tests/support/servers/mail-server.ts';
import { createOutboxMailer, type Mailer, type OutgoingMail, openMailer } from './mailer.ts';
import { createMemoryMailer } from './memory-mailer.ts';

const from = 'Everkept <hello@everkept.test>';

const mail: OutgoingMail = {
  to: { address: 'zoe@example.test', name: 'Zoë' },
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  messageId: '<abcdefghijklmnop@everkept.test>',
};

const drivers: [string, () => Promise<Mailer>][] = [
  ['outbox', async () => createOutboxMailer()],
  ['memory', async () => createMemoryMailer()],
  [
    'smtp',
    async () => {
      const server = await startMailServer();
      onTestFinished(server.close);
      return openMailer({ smtpUrl: server.url, from });
    },
  ],
];

describe.each(drivers)('the %s mailer', (_, open) => {
  async function openForTest() {
    const mailer = await open();
    onTestFinished(() => mailer.close());
    return mailer;
  }

  it('accepts a mail, and the same mail again', async () => {
    const mailer = await openForTest();
    expect(await mailer.send(mail)).toEqual({ outcome: 'accepted' });
    expect(await mailer.send(mail)).toEqual({ outcome: 'accepted' });
  });

  it('accepts names and subjects in any script, and empty ones', async () => {
    const mailer = await openForTest();
    for (const words of ['', 'محمد', '李雷 🕊', '"; Bcc: thief@example.test', 'x'.repeat(5_000)]) {
      const named = { ...mail, subject: words, to: { address: 'zoe@example.test', name: words } };
      expect(await mailer.send(named)).toEqual({ outcome: 'accepted' });
    }
  });

  it('refuses a recipient that is not one plain address, without throwing', async () => {
    const mailer = await openForTest();
    for (const address of ['', 'zoe', 'a@example.test,b@example.test', 'a@example.test\r\nRCPT TO:<b@example.test>']) {
      expect(await mailer.send({ ...mail, to: { address } })).toEqual({ outcome: 'refused', replyCode: null });
    }
  });

  it('refuses a header that is not its caller’s to set', async () => {
    const mailer = await openForTest();
    for (const headers of [{ Bcc: 'b@example.test' }, { 'X-A': 'a\nBcc: b@example.test' }, { 'X A': 'a' }]) {
      expect(await mailer.send({ ...mail, headers })).toEqual({ outcome: 'refused', replyCode: null });
    }
  });
});

describe('openMailer', () => {
  it('keeps mail in the outbox when there is no server', async () => {
    expect((await openMailer({ from })).kind).toBe('outbox');
  });

  it('refuses a sender that is no address', async () => {
    await expect(openMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'Everkept' })).rejects.toThrow(/MAIL_FROM/);
  });
});

describe('the memory mailer', () => {
  it('does what its script says, and tells the attempts of one mail apart', async () => {
    const mailer = createMemoryMailer();
    mailer.answer((_, attempt) => (attempt < 3 ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' }));
    expect(await mailer.send(mail)).toEqual({ outcome: 'temporary', replyCode: 451 });
    expect(await mailer.send(mail)).toEqual({ outcome: 'temporary', replyCode: 451 });
    expect(await mailer.send(mail)).toEqual({ outcome: 'accepted' });
    expect(mailer.sent).toHaveLength(1);
    expect(mailer.tried).toHaveLength(3);
  });
});
