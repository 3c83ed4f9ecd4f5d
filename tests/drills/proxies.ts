import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#tests/bench/site.ts';
import { listens, pathOf } from './drill.ts';

/** The name that the files in `deploy/proxies` are written for. */
export const siteName = 'vault.example';

/** Ports of the two sites and of the proxy. */
type Places = { folder: string; sites: readonly [number, number]; http: number; https: number };
type Certificate = { key: string; chain: string; both: string };

export type FrontProxy = {
  name: string;
  part: { command: string; package: string };
  /** Writes our file for these places, and gives the words with which the program stays in front of it. */
  prepare(places: Places, certificate: Certificate): Promise<{ words: string[]; env?: Record<string, string> }>;
};

/** The proxies whose files `deploy/proxies` holds. */
export const proxies: readonly FrontProxy[] = [
  {
    name: 'HAProxy',
    part: { command: 'haproxy', package: 'haproxy' },
    async prepare({ folder, sites, http, https }, { both }) {
      const file = await placed('proxies/haproxy.cfg', folder, {
        'bind :80\n': `bind 127.0.0.1:${http}\n`,
        'bind :443 ssl crt /etc/haproxy/everkept.pem': `bind 127.0.0.1:${https} ssl crt ${both}`,
        ':3000 ': `:${sites[0]} `,
        ':3010 ': `:${sites[1]} `,
      });
      return { words: ['-db', '-f', file] };
    },
  },
  {
    name: 'nginx',
    part: { command: 'nginx', package: 'nginx' },
    async prepare({ folder, sites, http, https }, { key, chain }) {
      const file = await placed('proxies/nginx.conf', folder, {
        'listen 80;': `listen 127.0.0.1:${http};`,
        'listen 443 ssl': `listen 127.0.0.1:${https} ssl`,
        '/etc/ssl/everkept/fullchain.pem': chain,
        '/etc/ssl/everkept/key.pem': key,
        ':3000 ': `:${sites[0]} `,
        ':3010 ': `:${sites[1]} `,
      });
      const whole = join(folder, 'whole.conf');
      const around = `pid ${folder}/pid; error_log stderr; daemon off; events {} http { access_log off; include ${file}; }`;
      await writeFile(whole, around);
      return { words: ['-c', whole] };
    },
  },
  {
    name: 'Caddy',
    part: { command: 'caddy', package: 'caddy' },
    async prepare({ folder, sites, http, https }) {
      const file = await placed('proxies/Caddyfile', folder, {});
      // A certificate of its own in place of one from outside, and the way to it that a machine of ours has free.
      const own = `{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
      await writeFile(file, own + (await readFile(file, 'utf8')));
      const env = {
        SITE_ADDRESS: `https://${siteName}`,
        SITES: sites.map((port) => `127.0.0.1:${port}`).join(' '),
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      };
      return { words: ['run', '--config', file, '--adapter', 'caddyfile'], env };
    },
  },
];

/** A file of `deploy` with other places in it, such as those of a certificate made for a test. */
export async function placed(path: string, folder: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(join('deploy', path), 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`deploy/${path} does not say “${from}” any more.`);
    text = text.replaceAll(from, to);
  }
  const file = join(folder, basename(path));
  await writeFile(file, text);
  return file;
}

const startTimeoutMs = 15_000;

/** Starts one of them before two sites; gives the port at which it answers over TLS. */
export async function startProxy(proxy: FrontProxy, sites: readonly [number, number]) {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-proxy-'));
  const [http, https] = [await freePort(), await freePort()];
  const { words, env } = await proxy.prepare({ folder, sites, http, https }, await makeCertificate(folder));
  const command = pathOf(proxy.part.command) ?? proxy.part.command;
  const child = spawn(command, words, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const deadline = performance.now() + startTimeoutMs;
  while (!(await listens(https))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`${proxy.name} did not start:\n${said}`);
    await sleep(50);
  }
  return {
    port: https,
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A certificate of its own for the name of the site: the key, the chain, and both in one file. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const [key, chain, both] = [join(folder, 'key.pem'), join(folder, 'chain.pem'), join(folder, 'both.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${siteName}`];
  execFileSync('openssl', [...words, '-keyout', key, '-out', chain], { stdio: 'ignore' });
  await writeFile(both, (await readFile(chain, 'utf8')) + (await readFile(key, 'utf8')));
  return { key, chain, both };
}
