import { request } from 'node:http';
import { median } from '../figure.ts';
import { askForHealth } from '../health.ts';
import type { Site } from '../site.ts';
import type { Owner } from './lists.browser.ts';

const repeats = 5;
/** Lists that are asked for beside `/healthz`. */
export const listsAtOnce = 4;

export type Answered = { bytes: number; tookMs: number };

/** Bytes are those of the body as it is sent. */
export async function call(
  { url }: Site,
  { cookie }: Pick<Owner, 'cookie'>,
  path: string,
  body?: object,
): Promise<Answered> {
  const startedMs = performance.now();
  const bytes = await new Promise<number>((resolve, reject) => {
    const headers = { cookie, origin: url, 'accept-encoding': 'gzip', 'content-type': 'application/json' };
    const sent = request(`${url}${path}`, { method: body ? 'POST' : 'GET', headers }, (answer) => {
      if (answer.statusCode !== 200 && answer.statusCode !== 201)
        reject(new Error(`${path} was answered ${answer.statusCode}.`));
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      answer.on('end', () => resolve(length)).on('error', reject);
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
  return { bytes, tookMs: performance.now() - startedMs };
}

export async function timesOf(act: () => Promise<Answered>): Promise<Answered> {
  const answers: Answered[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) answers.push(await act());
  return { bytes: answers[0]?.bytes ?? 0, tookMs: median(answers.map(({ tookMs }) => tookMs)) };
}

export async function healthBeside({ url }: Site, act: () => Promise<unknown>): Promise<number> {
  const health = await askForHealth(`${url}/healthz`);
  await Promise.all(Array.from({ length: listsAtOnce }, act));
  return health.end();
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(0)} kB`;
}
