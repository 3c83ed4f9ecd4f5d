import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { missingParts, type Part, pathOf } from './drill.ts';
import { makeCertificate, placed } from './proxies.ts';

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everkept-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Shown only where the part is installed; said which package brings it where it is not. */
function withPart(part: Part, sentence: string, check: (command: string) => Promise<void>): void {
  const isMissing = missingParts({ needs: [part] }).length > 0;
  const lack = isMissing ? ` (not run: it wants ${part.package}, which is not installed)` : '';
  test.skipIf(isMissing)(sentence + lack, () => check(pathOf(part.command) ?? part.command));
}

/** Output of a configuration check, on either stream. */
async function saidBy(command: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command, [...words]);
  return stdout + stderr;
}

withPart({ command: 'haproxy', package: 'haproxy' }, 'HAProxy takes its file', async (haproxy) => {
  const { both } = await makeCertificate(folder);
  const file = await placed('proxies/haproxy.cfg', folder, { '/etc/haproxy/everkept.pem': both });
  expect(await saidBy(haproxy, ['-c', '-f', file])).not.toMatch(/WARNING|ALERT/);
});

withPart({ command: 'nginx', package: 'nginx' }, 'nginx takes its file', async (nginx) => {
  const { key, chain } = await makeCertificate(folder);
  const file = await placed('proxies/nginx.conf', folder, {
    '/etc/ssl/everkept/fullchain.pem': chain,
    '/etc/ssl/everkept/key.pem': key,
  });
  const whole = join(folder, 'whole.conf');
  await writeFile(whole, `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${file}; }`);
  expect(await saidBy(nginx, ['-t', '-q', '-c', whole])).not.toMatch(/emerg|warn/);
});

withPart({ command: 'systemd-analyze', package: 'systemd' }, 'systemd takes its units', async (analyze) => {
  const units = ['web', 'worker'].map((name) =>
    // Paths on the target machine, to which the files are copied.
    placed(`systemd/everkept-${name}.service`, folder, {
      '/opt/everkept/node_modules/.bin/node server/start.mjs serve': `${process.execPath} server/start.mjs serve`,
    }),
  );
  expect(await saidBy(analyze, ['verify', '--man=no', ...(await Promise.all(units))])).not.toContain('everkept-');
});

withPart({ command: 'promtool', package: 'prometheus' }, 'Prometheus takes the alerts', async (promtool) => {
  expect(await saidBy(promtool, ['check', 'rules', 'deploy/prometheus/alerts.yml'])).toContain('SUCCESS');
});

withPart(
  { command: 'promtool', package: 'prometheus' },
  'each alert is given when it should be, and not before',
  async (promtool) => {
    expect(await saidBy(promtool, ['test', 'rules', 'deploy/prometheus/alerts.test.yml'])).toContain('SUCCESS');
  },
);

withPart(
  { command: 'caddy', package: 'caddy' },
  'Caddy takes its file, for one site and for several',
  async (caddy) => {
    const words = ['validate', '--adapter', 'caddyfile', '--config', 'deploy/proxies/Caddyfile'];
    for (const SITES of ['web:3000', '127.0.0.1:3000 127.0.0.1:3010']) {
      const env = { ...process.env, SITES, SITE_ADDRESS: 'https://vault.example', HOME: folder };
      const { stdout, stderr } = await run(caddy, words, { env });
      expect(stdout + stderr).toContain('Valid configuration');
    }
  },
);

withPart(
  { command: 'helm', package: 'helm' },
  'Helm takes the chart, and refuses it without what has to be given',
  async (helm) => {
    const given = [
      ...['settings.BASE_URL=https://vault.example', 'settings.ADMIN_EMAIL=admin@vault.example'],
      ...['settings.MAIL_FROM=hello@vault.example', 'settings.TRUST_PROXY=uniquelocal'],
      ...['secrets.settings=everkept-settings', 'secrets.masterKey=everkept-master-key', 'ingress.enabled=true'],
    ].flatMap((word) => ['--set', word]);
    expect(await saidBy(helm, ['lint', '--strict', 'deploy/chart', ...given])).toContain('0 chart(s) failed');
    const rendered = await saidBy(helm, ['template', 'vault', 'deploy/chart', ...given]);
    const kinds = parseAllDocuments(rendered).map((one) => (one.toJS() as { kind: string }).kind);
    const pair = ['Deployment', 'PodDisruptionBudget', 'Service'].flatMap((kind) => [kind, kind]);
    expect(kinds.toSorted()).toEqual([...pair, 'Ingress', 'Job', 'PersistentVolumeClaim'].toSorted());
    await expect(saidBy(helm, ['template', 'vault', 'deploy/chart'])).rejects.toThrow(/BASE_URL/);
  },
);

const figuresIn = (text: string) => new Set(text.match(/\beverkept_[a-z_]+[a-z]/g));

test('every figure that an alert or a panel asks for is one that we tell, and every one is on a panel', async () => {
  const sources = ['server/metrics.ts', 'server/http/metrics.ts'].map((path) => readFile(path, 'utf8'));
  const told = figuresIn((await Promise.all(sources)).join('\n'));
  const isTold = (name: string) => told.has(name) || told.has(name.replace(/_bucket$/, '')) || isOfNode.test(name);
  const [alerts = '', board = ''] = await Promise.all(
    ['deploy/prometheus/alerts.yml', 'deploy/grafana/everkept.json'].map((path) => readFile(path, 'utf8')),
  );
  expect(figuresIn(alerts).size).toBeGreaterThan(8);
  const shown = figuresIn(JSON.stringify(JSON.parse(board)));
  expect([...figuresIn(alerts), ...shown].filter((name) => !isTold(name))).toEqual([]);
  const unshown = [...figuresIn(await readFile('server/metrics.ts', 'utf8'))].filter((name) => !shown.has(name));
  expect(unshown).toEqual(['everkept_site_last_answer_seconds', 'everkept_healthy_seconds']);
});

/** Told by prom-client itself under our prefix. */
const isOfNode = /^everkept_(nodejs|process)_/;
