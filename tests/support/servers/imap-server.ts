import { type AddressInfo, createServer, type Socket } from 'node:net';

export type TestImapServer = {
  /** For `BOUNCE_MAILBOX`. */
  url: string;
  /** Brings a mail to the inbox. */
  deliver(raw: Buffer): void;
  /** Numbers of the mails that are marked as read. */
  seen: Set<number>;
  /** Numbers of the mails whose words were asked for, each time. */
  fetched: number[];
  /** Begins to count again, as a mailbox that was rebuilt does (RFC 3501, section 2.3.1.1). */
  rebuild(): void;
  /** From now on the words of this mail are refused, or the connection is closed over them. */
  poison(uid: number, how: 'no' | 'close'): void;
  /** Refuses all logins from now on. */
  lockOut(): void;
  close(): Promise<void>;
};

type Conversation = { socket: Socket; tag: string; words: string };

/** A mail server on a loopback port that speaks as much of IMAP4rev1 (RFC 3501) as reading one mailbox takes. */
export async function startImapServer(): Promise<TestImapServer> {
  const mails: { uid: number; raw: Buffer; at: Date }[] = [];
  const seen = new Set<number>();
  const fetched: number[] = [];
  const sockets = new Set<Socket>();
  let uidValidity = 1_700_000_000;
  let isLockedOut = false;
  const poisoned = new Map<number, 'no' | 'close'>();

  const uidsOf = (range: string) => {
    const [from = '1', to = from] = range.split(':');
    const last = mails.at(-1)?.uid ?? 0;
    const ends = [from, to].map((end) => (end === '*' ? last : Number(end)));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return mails.filter(({ uid }) => uid >= low && uid <= high);
  };

  const answers: Record<string, (conversation: Conversation) => string[]> = {
    capability: () => ['* CAPABILITY IMAP4rev1'],
    login: () => [],
    select: () => [
      '* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)',
      `* ${mails.length} EXISTS`,
      '* 0 RECENT',
      `* OK [UIDVALIDITY ${uidValidity}] UIDs valid`,
      `* OK [UIDNEXT ${(mails.at(-1)?.uid ?? 0) + 1}] Predicted next UID`,
    ],
    list: ({ words }) => [words.endsWith('"" ""') ? '* LIST (\\Noselect) "/" ""' : '* LIST () "/" "INBOX"'],
    lsub: () => ['* LSUB () "/" "INBOX"'],
    logout: () => ['* BYE'],
    noop: () => [],
  };

  const search = (words: string) => {
    const since = /SINCE (\S+)/.exec(words)?.[1];
    const range = /UID ([\d:*]+)$/.exec(words)?.[1];
    const found = range ? uidsOf(range) : mails.filter(({ at }) => !since || at >= new Date(`${since} 00:00:00Z`));
    return [`* SEARCH ${found.map(({ uid }) => uid).join(' ')}`.trimEnd()];
  };

  const fetch = ({ socket, words }: Conversation) => {
    const [, range = '', limit] = /UID FETCH (\S+) .*BODY\.PEEK\[\](?:<0\.(\d+)>)?/.exec(words) ?? [];
    for (const { uid, raw } of uidsOf(range)) {
      fetched.push(uid);
      const how = poisoned.get(uid);
      if (how === 'close') socket.destroy();
      if (how) return ['NO [SERVERBUG] This message is corrupt.'];
      const part = raw.subarray(0, limit ? Number(limit) : raw.length);
      const number = mails.findIndex((mail) => mail.uid === uid) + 1;
      socket.write(`* ${number} FETCH (UID ${uid} BODY[]${limit ? '<0>' : ''} {${part.length}}\r\n`);
      socket.write(part);
      socket.write(')\r\n');
    }
    return [];
  };

  const store = ({ words }: Conversation) => {
    const [, range = ''] = /UID STORE (\S+) \+FLAGS/.exec(words) ?? [];
    for (const { uid } of uidsOf(range)) if (words.includes('\\Seen')) seen.add(uid);
    return [];
  };

  const answer = (conversation: Conversation): string => {
    const { tag, words } = conversation;
    const [verb = '', second = ''] = words.toLowerCase().split(' ');
    if (verb === 'login' && isLockedOut) return `${tag} NO [AUTHENTICATIONFAILED] Not you.`;
    if (verb === 'uid') {
      const lines =
        second === 'search' ? search(words) : second === 'fetch' ? fetch(conversation) : store(conversation);
      if (lines[0]?.startsWith('NO ')) return `${tag} ${lines[0]}`;
      return [...lines, `${tag} OK done`].join('\r\n');
    }
    const known = answers[verb === 'examine' ? 'select' : verb];
    if (!known) return `${tag} BAD ${verb} is not known here`;
    const access = verb === 'examine' ? '[READ-ONLY] ' : verb === 'select' ? '[READ-WRITE] ' : '';
    return [...known(conversation), `${tag} OK ${access}done`].join('\r\n');
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n');
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [tag = '', ...words] = line.split(' ');
        socket.write(`${answer({ socket, tag, words: words.join(' ') })}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `imap://bounces:secret@127.0.0.1:${port}/INBOX`,
    deliver: (raw) => void mails.push({ uid: (mails.at(-1)?.uid ?? 0) + 1, raw, at: new Date() }),
    seen,
    fetched,
    rebuild() {
      uidValidity += 1;
      fetched.length = 0;
    },
    poison: (uid, how) => void poisoned.set(uid, how),
    lockOut() {
      isLockedOut = true;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
