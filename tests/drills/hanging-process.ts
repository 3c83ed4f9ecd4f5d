import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '#tests/bench/figure.ts';
import { freePort } from '#tests/e2e/support/installation.ts';
import { atMost, type Drill } from './drill.ts';

const person = {
  username: 'nell@hanging.example',
  firstName: 'Nell',
  lastName: 'Vane',
  email: 'nell@hanging.example',
  password: 'the pear tree by the wall',
};
const askEveryMs = 250;
const startWithinMs = 120_000;
/** The limit of the watchdog, and room for a busy machine. */
const endWithinMs = 120_000;

export const hangingProcessDrill: Drill = {
  name: 'hanging-process',
  shows:
    'the event loop hangs in the middle of an answer; the watchdog ends the process, and npm start starts it again',
  needs: [],
  takesMinutes: true,
  run,
};

async function run(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-hang-'));
  const file = join(dataDir, 'hang');
  const port = await freePort();
  const service = startService({ dataDir, file, port });
  try {
    await untilReady(service.url, startWithinMs);
    await call(service.url, '/api/register', { body: { ...person, confirmPassword: person.password } });
    const cookie = await signIn(service.url);
    await writeFile(file, '');
    const hungMs = performance.now();
    const unanswered = call(service.url, '/api/user', { cookie }).then(
      () => 0,
      () => 1,
    );
    const line = await service.lineWith('the event loop stands still', endWithinMs);
    const endedMs = performance.now();
    await untilReady(service.url, startWithinMs);
    const backMs = performance.now();
    const isNamed = line.includes('"entered":"GET /api/user"');
    const again = await signIn(service.url).then(
      () => 0,
      () => 1,
    );
    return [
      { what: 'answers that were lost with the process', figure: String(await unanswered) },
      atMost('until the watchdog ended the process', (endedMs - hungMs) / 1_000, { goal: 75, unit: ' s' }),
      atMost('until the service was ready again', (backMs - endedMs) / 1_000, { goal: 30, unit: ' s' }),
      atMost('lines of the log that do not name the route', isNamed ? 0 : 1, { goal: 0 }),
      atMost('accounts that cannot sign in afterwards', again, { goal: 0 }),
    ];
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function startService({ dataDir, file, port }: { dataDir: string; file: string; port: number }) {
  const { PATH = '', HOME = '' } = process.env;
  const hang = new URL('./hang-once.mjs', import.meta.url).href;
  const env = {
    ...{ PATH, HOME, PORT: String(port), DATA_DIR: dataDir },
    ...{ NODE_OPTIONS: `--import=${hang}`, HANG_FILE: file, HANG_EMAIL: person.email },
  };
  const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [npm.stdout, npm.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  return {
    url: `http://localhost:${port}`,
    async lineWith(words: string, withinMs: number): Promise<string> {
      return until(async () => lines.find((line) => line.includes(words)) ?? null, withinMs);
    },
    stop: () => stop(npm),
  };
}

async function stop(npm: ChildProcess): Promise<void> {
  // The output ends with the last process that writes to it: npm itself is gone before.
  const closed = once(npm, 'close');
  npm.kill('SIGTERM');
  await closed;
}

type Asked = { body?: object; cookie?: string };

async function call(url: string, path: string, { body, cookie }: Asked): Promise<Response> {
  const answer = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { origin: url, 'content-type': 'application/json', ...(cookie ? { cookie } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function signIn(url: string): Promise<string> {
  const { email, password } = person;
  const answer = await call(url, '/api/login', { body: { email, password } });
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

async function untilReady(url: string, withinMs: number): Promise<void> {
  const ask = () => fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
  await until(async () => ((await ask().catch(() => null))?.ok ? true : null), withinMs);
}

async function until<Found>(look: () => Promise<Found | null>, withinMs: number): Promise<Found> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; ) {
    const found = await look();
    if (found !== null) return found;
    await sleep(askEveryMs);
  }
  throw new Error(`It did not come to pass within ${withinMs / 1_000} s.`);
}
