import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { repository } from './sources.ts';

/** The watchdog ends a process that hangs: each way to run the service has a supervisor that starts it again. */

const read = (name: string) => readFileSync(join(repository, name), 'utf8');

test.each(['web', 'worker'])('systemd starts the %s again', (role) => {
  expect(read(`deploy/systemd/everkept-${role}.service`)).toMatch(/^Restart=always$/m);
});

test('Compose starts each service again', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { restart?: string }>;
  };
  expect(Object.keys(services)).toEqual(['web', 'worker', 'database']);
  for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped');
});

test('pods have a liveness probe, and no policy that keeps them ended', () => {
  expect(read('deploy/chart/templates/_pod.tpl')).toMatch(
    /livenessProbe:\n\s+httpGet: \{ path: \/livez, port: http \}/,
  );
  expect(read('deploy/chart/templates/site-and-worker.yaml')).not.toContain('restartPolicy');
});

test('a container and npm start run the script that keeps the service running', () => {
  expect(read('Dockerfile')).toContain('ENTRYPOINT ["node", "server/start.mjs"]\nCMD ["serve"]');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(scripts.start).toBe('node server/start.mjs serve');
});
