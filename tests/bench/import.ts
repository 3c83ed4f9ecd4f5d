import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { zipSync } from 'fflate';
import { openInstallation } from '#server/installation.ts';
import { readSettings } from '#server/settings.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { formBody } from '#tests/support/forms.ts';
import { type Figure, ms } from './figure.ts';
import { askForHealth } from './health.ts';
import { mebibyte, memoryOf, sampleMemory } from './memory.ts';
import { createOwners } from './owners.ts';
import { startSite } from './site.ts';

const importers = 10;
const goals = { healthMs: 100, cpuSecondsEach: 1, memoryMiB: 64 };
/** Ticks of the processor's clock in a second, as /proc counts them on every Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

const at = '2026-11-20T10:00:00.000Z';
const head = `"format":"everkept-export","version":1,"exportedAt":"${at}","account":{"id":"1c9a1b0e-0c57-4d2e-9a52-1f6c3a0e8d11"}`;
const rest = '"documents":[],"contacts":[],"checklists":[]';

/** Ten owners at once, first on Free with archives of 61 kB that unfold to 63 MB, then on Premium with 5 MB of letters. */
export async function importFigures(): Promise<Figure[]> {
  const empty = `{${head},"messages":[${'{},'.repeat(21_000_000)}{}],${rest}}`;
  const bomb = Buffer.from(zipSync({ 'vault.json': Buffer.from(empty) }));
  return [
    ...(process.env.ONLY
      ? []
      : await measured('free', { name: 'export.zip', bytes: bomb, what: 'archives that unfold to 63 MB' })),
    ...(await measured('premium', { name: 'export.json', bytes: letters(2_000), what: 'exports of 2,000 letters' })),
  ];
}

function letters(count: number): Buffer {
  const letter = (number: number) => ({
    title: `Letter ${number}`,
    content: 'Put the kettle on first. '.repeat(100),
    encryptedContent: null,
    recipientEmail: 'nell@family.example',
    category: 'personal',
    status: 'ready',
    visibleToTrustedContact: false,
    attachment: null,
    createdAt: at,
    updatedAt: at,
  });
  const messages = JSON.stringify(Array.from({ length: count }, (_, number) => letter(number)));
  return Buffer.from(`{${head},"messages":${messages},${rest}}`);
}

async function measured(plan: PlanName, file: { name: string; bytes: Buffer; what: string }): Promise<Figure[]> {
  const site = await startSite();
  const installation = await openInstallation(
    readSettings({ DATA_DIR: site.dataDir, LOG_LEVEL: 'warn', PORT: new URL(site.url).port }),
  );
  try {
    const cookies = await createOwners(installation.db, { dataDir: site.dataDir, count: importers });
    await installation.db.execute(sql`update users set plan = ${plan}`);
    // A first import, so that one-time loading is not counted.
    await send(site.url, formOf({ ...file, bytes: Buffer.from('{}') }), { cookie: cookies[0] ?? '', number: 99 });
    const [beforeBytes, beforeSeconds] = [await memoryOf(site.pid), await cpuSeconds(site.pid)];
    const memory = sampleMemory(site.pid);
    const health = await askForHealth(site.url);
    const form = formOf(file);
    const begunMs = performance.now();
    const statuses = await Promise.all(cookies.map((cookie, number) => send(site.url, form, { cookie, number })));
    const tookMs = performance.now() - begunMs;
    const slowestMs = await health.end();
    const grownMiB = ((await memory.end()) - beforeBytes) / mebibyte;
    const cpuEach = ((await cpuSeconds(site.pid)) - beforeSeconds) / importers;
    const isHostile = plan === 'free';
    return [
      {
        what: `${importers} ${file.what} at once`,
        figure: `${ms(tookMs)}, answered ${[...new Set(statuses)].join(', ')}`,
      },
      {
        what: '  slowest answer of /healthz beside them',
        figure: ms(slowestMs),
        goal: `< ${goals.healthMs} ms`,
        met: slowestMs < goals.healthMs,
      },
      {
        what: '  processor time of each',
        figure: `${cpuEach.toFixed(2)} s`,
        ...(isHostile ? { goal: `< ${goals.cpuSecondsEach} s`, met: cpuEach < goals.cpuSecondsEach } : {}),
      },
      {
        what: '  memory that all of them added',
        figure: `${grownMiB.toFixed(0)} MiB`,
        ...(isHostile ? { goal: `< ${goals.memoryMiB} MiB`, met: grownMiB < goals.memoryMiB } : {}),
      },
    ];
  } finally {
    await installation.close();
    await site.stop();
  }
}

/** Made once, because the measured server shares the machine. */
const formOf = ({ name, bytes }: { name: string; bytes: Buffer }) => formBody({ file: { name, content: bytes } });

type Sender = { cookie: string; number: number };

async function send(url: string, { body, type }: { body: Buffer; type: string }, { cookie, number }: Sender) {
  const headers = { cookie, origin: url, 'content-type': type, 'x-forwarded-for': `10.9.0.${number}` };
  const answer = await fetch(`${url}/api/import-data`, { method: 'POST', headers, body: Uint8Array.from(body) });
  await answer.text();
  return answer.status;
}

/** Seconds of processor time that a process has used (proc(5), fields 14 and 15). */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
