import { describe, expect, it, onTestFinished } from 'vitest';
import { politely, startMailServer, startRawServer } from '#tests/support/servers/mail-server.ts';
import type { OutgoingMail } from './mailer.ts';
import { checkSmtp, createSmtpMailer, type SmtpTimeouts } from './smtp-mailer.ts';

const from = 'Everkept <hello@everkept.test>';

function mailTo(address: string, change: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    to: { address, name: 'Zoë Nwosu' },
    subject: 'A message from Sam – kept for you',
    html: '<p>Hello <b>Zoë</b></p>',
    text: 'Hello Zoë',
    messageId: '<abcdefghijklmnopqrstuvwx@everkept.test>',
    ...change,
  };
}

async function startAll() {
  const server = await startMailServer();
  const mailer = createSmtpMailer({ url: server.url, from });
  onTestFinished(async () => {
    await mailer.close();
    await server.close();
  });
  return { server, mailer };
}

async function mailerAgainst(answer: (line: string) => string, timeouts: Partial<SmtpTimeouts> = {}) {
  const server = await startRawServer(answer);
  const mailer = createSmtpMailer({ url: server.url, from, timeouts });
  onTestFinished(async () => {
    await mailer.close();
    await server.close();
  });
  return { server, mailer };
}

describe('a mail server on another machine', () => {
  /** Another address of this machine, which the mailer takes for a remote one. */
  const elsewhere = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

  it('gets no mail and no address without TLS', async () => {
    const { server } = await startAll();
    const mailer = createSmtpMailer({ url: elsewhere(server.url), from });
    onTestFinished(() => mailer.close());
    expect(await mailer.send(mailTo('zoe@example.test'))).toMatchObject({ outcome: 'temporary' });
    await expect(checkSmtp(elsewhere(server.url))).rejects.toThrow();
    expect(server.received).toEqual([]);
  });

  it('gets it in the clear where that is allowed by name', async () => {
    const { server } = await startAll();
    const url = `${elsewhere(server.url)}?allowInsecure=1`;
    const mailer = createSmtpMailer({ url, from });
    onTestFinished(() => mailer.close());
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'accepted' });
    await checkSmtp(url);
  });
});

describe('the question whether a mail may leave', () => {
  const yes = async () => true;
  const no = async () => false;

  it('is asked once, when the server has asked for the mail and not before', async () => {
    const lines: string[] = [];
    const { mailer } = await mailerAgainst(politely((line) => void lines.push(line)));
    const answer = await mailer.send(mailTo('zoe@example.test'), async () => {
      lines.push('?');
      return true;
    });
    expect(answer).toEqual({ outcome: 'accepted' });
    expect(lines.filter((line) => /^(RCPT|DATA|\?)/.test(line))).toEqual(['RCPT TO:<zoe@example.test>', 'DATA', '?']);
  });

  it('after a no, the server gets no byte, and the next mail is sent as usual', async () => {
    const { server, mailer } = await startAll();
    expect(await mailer.send(mailTo('one@example.test'), yes)).toEqual({ outcome: 'accepted' });
    expect(await mailer.send(mailTo('two@example.test'), no)).toEqual({ outcome: 'withheld' });
    expect(await mailer.send(mailTo('three@example.test'), yes)).toEqual({ outcome: 'accepted' });
    expect(server.received.map(({ envelope }) => envelope.to[0])).toEqual(['one@example.test', 'three@example.test']);
  });

  it('an unanswered question is a failure that is retried', async () => {
    const { server, mailer } = await startAll();
    const lost = async () => Promise.reject(new Error('The database does not answer.'));
    expect(await mailer.send(mailTo('zoe@example.test'), lost)).toEqual({ outcome: 'temporary', replyCode: null });
    expect(server.received).toEqual([]);
  });

  it('is not asked of a mail that is refused before, and after a yes no answer at all means that it may have arrived', async () => {
    const { mailer } = await mailerAgainst(
      politely((line) => (line === '.' ? 'close' : line.includes('gone@') ? '550 5.1.1 no such mailbox' : undefined)),
    );
    const never = async () => Promise.reject(new Error('Nobody asks this.'));
    expect(await mailer.send(mailTo('gone@example.test'), never)).toMatchObject({ outcome: 'refused' });
    expect(await mailer.send(mailTo('zoe@example.test'), yes)).toEqual({
      outcome: 'temporary',
      replyCode: null,
      mayHaveArrived: true,
    });
  });
});

describe('the SMTP mailer', () => {
  it('hands both parts, names and the Message-ID over as they are', async () => {
    const { server, mailer } = await startAll();

    const result = await mailer.send(mailTo('zoe@example.test', { headers: { 'Auto-Submitted': 'auto-generated' } }));

    expect(result).toEqual({ outcome: 'accepted' });
    const [received] = server.received;
    expect(received?.envelope).toEqual({ from: 'hello@everkept.test', to: ['zoe@example.test'] });
    expect(received?.mail.subject).toBe('A message from Sam – kept for you');
    expect(received?.mail.messageId).toBe('<abcdefghijklmnopqrstuvwx@everkept.test>');
    expect(received?.mail.text?.trim()).toBe('Hello Zoë');
    expect(received?.mail.html).toContain('<b>Zoë</b>');
    expect(received?.mail.from?.value).toEqual([{ address: 'hello@everkept.test', name: 'Everkept' }]);
    expect([received?.mail.to].flat()[0]?.value).toEqual([{ address: 'zoe@example.test', name: 'Zoë Nwosu' }]);
    expect(received?.mail.headers.get('auto-submitted')).toBe('auto-generated');
  });

  it('sends again over a connection that is kept, and after a refusal', async () => {
    const { server, mailer } = await startAll();
    await mailer.send(mailTo('one@example.test'));
    server.behave({ at: 'recipient', replyCode: 550 });
    expect(await mailer.send(mailTo('two@example.test'))).toEqual({ outcome: 'refused', replyCode: 550 });
    server.behave(null);
    expect(await mailer.send(mailTo('three@example.test'))).toEqual({ outcome: 'accepted' });
    expect(server.received.map(({ envelope }) => envelope.to)).toEqual([['one@example.test'], ['three@example.test']]);
  });

  it.each([
    ['a bare 550 for the recipient', 'recipient', 550, undefined],
    ['no such mailbox', 'recipient', 550, '5.1.1 No such user'],
    ['no such domain', 'recipient', 550, '5.1.2 Host unknown'],
    ['a mailbox that has moved', 'recipient', 550, '5.1.6 Moved'],
    ['a mailbox that is disabled', 'recipient', 550, '5.2.1 Disabled'],
    [
      'at the end of a mail that there is no mailbox',
      'data',
      554,
      'delivery error: dd This user does not have an account',
    ],
  ] as const)('a server that says %s has closed it', async (_, at, replyCode, words) => {
    const { server, mailer } = await startAll();
    server.behave({ at, replyCode, ...(words && { words }) });
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'refused', replyCode });
    expect(server.received).toEqual([]);
  });

  it.each([
    ['busy', 'recipient', 450, undefined],
    ['full for now', 'recipient', 452, '4.2.2 Full'],
    ['full', 'recipient', 552, '5.2.2 Over quota'],
  ] as const)('a mailbox that is %s is tried again', async (_, at, replyCode, words) => {
    const { server, mailer } = await startAll();
    server.behave({ at, replyCode, ...(words && { words }) });
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'temporary', replyCode });
  });

  it.each([
    ['our policy for the domain', 'recipient', 550, '5.7.26 Unauthenticated mail is prohibited by DMARC policy'],
    ['our reputation', 'recipient', 554, '5.7.1 Listed'],
    ['our rate', 'recipient', 450, '4.7.28 Unusual rate'],
    ['the way there', 'recipient', 550, '5.4.6 Routing loop detected'],
    ['the message', 'data', 552, undefined],
    ['the words', 'data', 550, '5.1.1 Your mail was not accepted'],
    ['the message for now', 'data', 451, undefined],
    ['the system, going away', 'recipient', 421, undefined],
    ['our own sender', 'sender', 550, undefined],
  ] as const)(
    'a server that refuses for the sake of %s says nothing of the mailbox',
    async (_, at, replyCode, words) => {
      const { server, mailer } = await startAll();
      server.behave({ at, replyCode, ...(words && { words }) });
      expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({
        outcome: 'temporary',
        replyCode,
        isTrouble: true,
        ...(replyCode === 421 || words?.startsWith('4.7.') ? { isTooFast: true } : {}),
      });
      expect(server.received).toEqual([]);
    },
  );

  it('does not take the greylisting of one mail for a word about how fast it goes', async () => {
    const { server, mailer } = await startAll();
    server.behave({ at: 'recipient', replyCode: 451, words: '4.7.1 Greylisted, come again in five minutes' });
    expect(await mailer.send(mailTo('zoe@example.test'))).not.toHaveProperty('isTooFast');
  });

  it('gets through greylisting at the second attempt', async () => {
    const { server, mailer } = await startAll();
    server.behave({ at: 'greylist' });

    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({
      outcome: 'temporary',
      replyCode: 451,
      isTrouble: true,
    });
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'accepted' });
    expect(server.received).toHaveLength(1);
  });

  it('does not believe that a mail was taken when the server closed after DATA', async () => {
    let mails = 0;
    const { mailer } = await mailerAgainst(
      politely((line) => {
        if (line !== '.') return undefined;
        mails += 1;
        return 'close';
      }),
    );

    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({
      outcome: 'temporary',
      replyCode: null,
      mayHaveArrived: true,
    });
    expect(mails, 'a mail that may have been taken is not sent again at once').toBe(1);
  });

  it('goes over a new connection when the kept one was closed meanwhile', async () => {
    let isFirst = true;
    const { server, mailer } = await mailerAgainst(
      politely((line) => {
        if (!line.startsWith('MAIL FROM') || isFirst) {
          if (line.startsWith('MAIL FROM')) isFirst = false;
          return undefined;
        }
        isFirst = true;
        return 'close';
      }),
    );

    expect(await mailer.send(mailTo('one@example.test'))).toEqual({ outcome: 'accepted' });
    expect(await mailer.send(mailTo('two@example.test'))).toEqual({ outcome: 'accepted' });
    expect(server.connections).toBe(2);
  });

  it.each([
    ['says nothing at all', (line: string) => (line === '' ? 'silence' : '250 ok')],
    ['falls silent in the middle', politely((line) => (line.startsWith('RCPT') ? 'silence' : undefined))],
    ['closes at once', () => 'close'],
    ['turns everybody away', (line: string) => (line === '' ? '554 no service' : '')],
  ])('calls it temporary when the server %s', async (_, answer) => {
    const { mailer } = await mailerAgainst(answer, { greetingMs: 200, silenceMs: 200 });
    expect(await mailer.send(mailTo('zoe@example.test'))).toMatchObject({ outcome: 'temporary' });
  });

  it('gives a mail up when the whole takes too long, and sends the next', async () => {
    let isStuck = true;
    const { mailer } = await mailerAgainst(
      politely((line) => (line.startsWith('RCPT') && isStuck ? 'silence' : undefined)),
      { wholeMs: 1_000 },
    );
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'temporary', replyCode: null });
    isStuck = false;
    expect(await mailer.send(mailTo('sam@example.test'))).toEqual({ outcome: 'accepted' });
  });

  it('is temporarily unavailable if no server listens, or it has no TLS', async () => {
    const server = await startMailServer();
    await server.close();
    const nobody = createSmtpMailer({ url: server.url, from });
    expect(await nobody.send(mailTo('zoe@example.test'))).toEqual({ outcome: 'temporary', replyCode: null });
    await nobody.close();

    const { server: plain } = await startAll();
    const strict = createSmtpMailer({ url: `${plain.url}?requireTLS=true`, from });
    expect(await strict.send(mailTo('zoe@example.test'))).toMatchObject({ outcome: 'temporary' });
    await strict.close();

    const wrapped = createSmtpMailer({ url: plain.url.replace('smtp:', 'smtps:'), from });
    expect(await wrapped.send(mailTo('zoe@example.test'))).toMatchObject({ outcome: 'temporary' });
    await wrapped.close();
    expect(plain.received).toEqual([]);
  });

  it('does not take a wrong password of ours for a closed mailbox', async () => {
    const greeting = politely((line) => {
      if (line.startsWith('EHLO')) return '250-here\r\n250 AUTH PLAIN LOGIN';
      return line.startsWith('AUTH') ? '535 5.7.8 no' : undefined;
    });
    const server = await startRawServer(greeting);
    const mailer = createSmtpMailer({ url: server.url.replace('//', '//sam:wrong@'), from });
    onTestFinished(async () => {
      await mailer.close();
      await server.close();
    });
    expect(await mailer.send(mailTo('zoe@example.test'))).toEqual({
      outcome: 'temporary',
      replyCode: 535,
      isTrouble: true,
    });
  });

  it('finishes mails in progress before it closes', async () => {
    const { server, mailer } = await startAll();
    const sending = Array.from({ length: 12 }, (_, index) => mailer.send(mailTo(`p${index}@example.test`)));
    await mailer.close();
    expect(await Promise.all(sending)).toEqual(Array(12).fill({ outcome: 'accepted' }));
    expect(server.received).toHaveLength(12);
  });
});

describe('a mail that tries to say more', () => {
  const lineEnds = ['\r\n', '\n', '\r', '\0', '\u0085', '\u2028', '\u2029', '\v', '\f', '\r\n ', '%0d%0a', '\\r\\n'];
  const payloads = lineEnds.flatMap((end) => [
    `Sam${end}Bcc: thief@example.test`,
    `Sam${end}To: thief@example.test`,
    `Sam${end}${end}<script>alert(1)</script>`,
  ]);

  it(`adds no header and no recipient through names and subjects (${payloads.length * 3} cases)`, async () => {
    const { server, mailer } = await startAll();

    for (const payload of payloads) {
      for (const change of [
        { subject: payload },
        { to: { address: 'zoe@example.test', name: payload } },
        { from: { address: 'hello@everkept.test', name: payload } },
      ]) {
        server.received.length = 0;
        expect(await mailer.send(mailTo('zoe@example.test', change))).toEqual({ outcome: 'accepted' });
        const [received] = server.received;
        expect(received?.envelope.to).toEqual(['zoe@example.test']);
        expect(received?.mail.bcc).toBeUndefined();
        expect(received?.mail.cc).toBeUndefined();
        expect([received?.mail.to].flat().flatMap((list) => list?.value ?? [])).toHaveLength(1);
        expect(received?.mail.headerLines.map(({ key }) => key).toSorted()).toEqual([
          'content-type',
          'date',
          'from',
          'message-id',
          'mime-version',
          'subject',
          'to',
        ]);
        expect(received?.mail.text?.trim()).toBe('Hello Zoë');
      }
    }
  });

  it('is not sent at all when an address, the Message-ID or a header is more than it should be', async () => {
    const { server, mailer } = await startAll();
    const addresses = [
      ...payloads,
      ...lineEnds.slice(0, 9).map((end) => `zoe@example.test${end}RCPT TO:<thief@example.test>`),
      'zoe@example.test, thief@example.test',
      'zoe@example.test;thief@example.test',
      'Zoe <zoe@example.test>',
      '<zoe@example.test>',
      '"zoe thief@example.test"@example.test',
      'zoe@example.test (thief@example.test)',
      'group:zoe@example.test;',
      'zoe@[127.0.0.1]',
      'zoe',
      '@example.test',
      'zoe@',
      '',
    ];
    const changes: Partial<OutgoingMail>[] = [
      ...addresses.map((address) => ({ to: { address } })),
      ...addresses.map((address) => ({ from: { address } })),
      { messageId: '<a@b>\r\nBcc: thief@example.test' },
      { messageId: 'a@b' },
      { headers: { 'X-Note': 'fine\r\nBcc: thief@example.test' } },
      { headers: { 'X-Note\r\nBcc': 'thief@example.test' } },
      { headers: { Bcc: 'thief@example.test' } },
      { headers: { 'Resent-To': 'thief@example.test' } },
    ];

    for (const change of changes) {
      expect(await mailer.send(mailTo('zoe@example.test', change)), JSON.stringify(change)).toEqual({
        outcome: 'refused',
        replyCode: null,
      });
    }
    expect(server.received).toEqual([]);
  });
});
