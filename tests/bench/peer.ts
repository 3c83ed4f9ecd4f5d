import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from './load.ts';
import { end, freePort, ready } from './site.ts';

/** The peer product with the same work. */
export type Peer = { list: Target; save: Target; stop(): Promise<void> };

const password = 'a pear tree by the wall';

/**
 * Gone Man's Switch (github.com/jhonderson/gone-man-switch), a small service for the same purpose on SQLite. It is no part of this
 * repository, since its packages compile: `BENCH_PEER_DIR` names a copy of it in which `npm ci` has run. Null where none is named.
 * Its list is a page with the first words of each message, opened with a password of the installation.
 */
export async function startPeer({
  users,
  messagesEach,
}: {
  users: number;
  messagesEach: number;
}): Promise<Peer | null> {
  const directory = process.env.BENCH_PEER_DIR;
  if (!directory) return null;
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-peer-'));
  const url = `http://localhost:${await freePort()}`;
  const child = spawn(process.execPath, ['bin/www'], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: new URL(url).port,
      SQLITE_DB_PATH: join(dataDir, 'peer.db'),
      COOKIE_SESSION_SECRET: 'only for a bench',
      MESSAGE_ENCRYPTION_PASSWORD: 'only for a bench',
      DEFAULT_ADMIN_USER_PASSWORD: password,
    },
    stdio: 'ignore',
  });
  const stop = async () => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await ready(`${url}/account/login`, child);
    const administrator = await signIn(url, 'admin');
    const cookies: string[] = [];
    for (let number = 0; number < users; number += 1) {
      const username = `owner-${number}`;
      const user = { username, role: 'USER', password, passwordConfirmation: password };
      await post(`${url}/users/new`, user, administrator);
      cookies.push(await signIn(url, username));
    }
    for (const cookie of cookies)
      for (let written = 0; written < messagesEach; written += 1) await post(`${url}/messages/new`, message, cookie);
    await requireMessages(url, cookies[0] ?? '', messagesEach);
    const save = { url: `${url}/messages/new`, method: 'POST', headers: form, body: bodyOf(message) } as const;
    return { list: { url: `${url}/`, cookies }, save: { ...save, cookies, isRedirected: true }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const message = {
  content: 'word '.repeat(40),
  messageContentEncryption: 'encrypted_system_encryption_password',
  emailRecipients: 'nell@ashworth.example',
  emailSubject: 'For Nell',
  checkinFrequencyTime: '6',
  checkinFrequencyTimeUnit: 'Months',
  checkinWaitingTime: '1',
  checkinWaitingTimeUnit: 'Months',
};

function bodyOf(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

/** The peer answers an accepted form with a redirect, and a refused one by showing it again. */
async function post(url: string, fields: Record<string, string>, cookie = ''): Promise<Response> {
  const headers = { ...form, ...(cookie ? { cookie } : {}) };
  const answer = await fetch(url, { method: 'POST', headers, body: bodyOf(fields), redirect: 'manual' });
  if (answer.status !== 302) throw new Error(`The peer answered ${answer.status} to ${new URL(url).pathname}.`);
  return answer;
}

/**
 * The cookie that a browser has after the first page. The one of the sign-in itself says nothing of a check-in, and with it the
 * peer writes one at every call.
 */
async function signIn(url: string, username: string): Promise<string> {
  const signedIn = cookieOf(await post(`${url}/account/login`, { username, password }));
  const page = await fetch(url, { headers: { cookie: signedIn } });
  await page.text();
  const cookie = cookieOf(page);
  if (!page.ok || cookie === '') throw new Error('The first page of the peer sets no cookie.');
  return cookie;
}

function cookieOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** A fast answer to the wrong question would look like a good figure. */
async function requireMessages(url: string, cookie: string, wanted: number): Promise<void> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  const shown = page.split('word word').length - 1;
  if (shown < wanted) throw new Error(`The peer's list shows ${shown} of ${wanted} messages.`);
}
