import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Figure } from '#tests/bench/figure.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { containerParts, gateway, openStore, type Said, type Store } from './containers.ts';
import { openDoor } from './door.ts';
import type { Drill } from './drill.ts';
import { type Block, blocksOf, namesOf, yoursOf } from './runbook-blocks.ts';

export const runbookDrill: Drill = {
  name: 'runbook',
  shows: 'docs/runbook.md is followed word for word on two bare machines, and does what it says',
  needs: containerParts,
  takesMinutes: true,
  async run() {
    const store = await openStore();
    const mail = await startMailServer();
    try {
      return await follow({ store, mail });
    } finally {
      await mail.close();
      await store.close();
    }
  },
};

/** A name for which Caddy is its own authority. */
const site = 'vault.local';
const machines: Record<string, string> = { first: '10.217.43.11', second: '10.217.43.12' };
const copyOfKey = '/root/copy-of-key';
const owner = 'silas@family.example';
/** Longest wait for an automatic event. */
const waitMs = 90_000;
/** A worker looks every five minutes whether a backup is to be made. */
const backupWaitMs = 6 * 60_000;

type Ground = { store: Store; mail: TestMailServer };
/** Actions and checks after a block, by its number in a section; 0 is before the first. */
type Moments = Record<string, (said: string) => Promise<void>>;

async function follow({ store, mail }: Ground): Promise<Figure[]> {
  const source = join(store.folder, 'source');
  await promisify(execFile)('git', ['clone', '--quiet', '--bare', '.', source]);
  const mounts = ['-v', `${source}:/srv/everkept.git:ro`, '-v', 'shared:/var/lib/everkept'];
  const start = (name: string) =>
    store.startMachine(name, {
      options: [`--network=everkept-drill:ip=${machines[name]}`, `--add-host=${site}:${machines.first}`, ...mounts],
    });
  await start('first');
  // The address of this machine is there as soon as a container is.
  const door = await openDoor({ host: gateway, leadsTo: mail.port });
  const yours = {
    ...{ SOURCE: '/srv/everkept.git', SITE: site, ADMIN: `admin@${site}`, SENDER: `hello@${site}` },
    ...{ MAIL: `smtp://${gateway}:${door.port}?allowInsecure=1`, FIRST: machines.first, SECOND: machines.second },
    ...{ PASSWORD: randomUUID(), COPY_OF_KEY: copyOfKey },
  };
  const words = Object.entries(yours).map(([name, value]) => `export ${name}='${value}'`);
  const on = (machine: string, script: string): Promise<Said> =>
    store.podman('exec', machine, 'bash', '-euo', 'pipefail', '-c', `${words.join('\n')}\ncd\n${script}`);
  const does = async (machine: string, script: string) => (await on(machine, script)).code === 0;

  const figures: Figure[] = [];
  const tell = (what: string, isSo: boolean) =>
    figures.push({ what, figure: isSo ? 'yes' : 'no', goal: 'yes', met: isSo });
  const isWell = () => until(() => does('first', `curl -sf --cacert ${authority} https://$SITE/healthz`));
  const isThere = async () => (await on('first', 'everkept users list')).text.includes(owner);

  const moments: Moments = {
    async 'Install/6'() {
      // No authority of the world's signs for a name of our own: this one is made to be believed, as the world's are.
      await until(() => does('first', `install -m 0644 ${madeByCaddy} ${authority}`));
      await on('first', `echo NODE_EXTRA_CA_CERTS=${authority} >> /etc/everkept/everkept.env; ${restart}`);
      tell('installed: the site answers over https', await isWell());
      tell('installed: somebody can register', await does('first', register));
      tell('installed: and gets mail', await until(async () => mail.received.length > 0));
    },
    async 'Look/1'(said) {
      tell('looked at: doctor ends well, and both units run', said.split('active (running)').length === 3);
    },
    async 'Backups/1'() {
      tell('backed up: one is there', await until(() => does('first', 'ls /var/backups/everkept/*.zst'), backupWaitMs));
    },
    async 'A new release/0'() {
      await on('first', 'readlink /opt/everkept > /root/old-release');
    },
    async 'A new release/1'() {
      tell(
        'renewed: another release runs',
        await does('first', '[ "$(readlink /opt/everkept)" != "$(cat /root/old-release)" ]'),
      );
      tell('renewed: it answers, and who registered is there', (await isWell()) && (await isThere()));
    },
    async 'Mail does not leave/0'() {
      door.shut();
    },
    async 'Mail does not leave/1'(said) {
      tell('mail away: doctor says so', /mail server|SMTP/i.test(said));
      door.open();
    },
    async 'The key is gone/0'() {
      await on('first', `cp /etc/everkept/master-key ${copyOfKey}; rm /etc/everkept/master-key; ${restart} || true`);
      await sleep(5_000);
      tell('key gone: the site does not answer', !(await does('first', 'curl -sf http://127.0.0.1:3000/healthz')));
    },
    async 'The key is gone/1'() {
      tell('key back: the site answers', await isWell());
    },
    async 'The disk is full/0'() {
      await on('first', 'touch /var/backups/everkept/interrupted.partial');
    },
    async 'The disk is full/1'() {
      tell('disk full: what was interrupted is gone', !(await does('first', 'ls /var/backups/everkept/*.partial')));
    },
    async 'A second database that takes over/1'() {
      await start('second');
    },
    async 'A second database that takes over/2'(said) {
      tell('second database: it follows', /^t$/m.test(said));
      await on('first', 'systemctl disable --now postgresql postgresql@17-main');
    },
    async 'A second database that takes over/4'() {
      tell('taken over: the site answers, and who registered is there', (await isWell()) && (await isThere()));
    },
    async 'A second machine/0'() {
      await on('first', 'tar -cf /var/lib/everkept/settings.tar -C /etc everkept own-authority.pem');
      await on('second', 'tar -xf /var/lib/everkept/settings.tar -C /etc; rm /var/lib/everkept/settings.tar');
    },
    async 'A second machine/2'() {
      tell(
        'second machine: its site answers',
        await until(() => does('second', 'curl -sf http://127.0.0.1:3000/readyz')),
      );
      await on('first', 'systemctl stop everkept-web everkept-worker');
      tell('second machine: the site goes on without the first', await isWell());
    },
  };

  const text = await readFile('docs/runbook.md', 'utf8');
  const lacking = yoursOf(text).filter((name) => !(name in yours));
  if (lacking.length > 0) throw new Error(`The drill gives no ${lacking.join(', ')}.`);
  const blocks = blocksOf(text);
  const unknown = Object.keys(moments).filter((name) => !namesOf(blocks).has(name));
  if (unknown.length > 0) throw new Error(`The runbook has no block ${unknown.join(', ')}.`);
  try {
    for (const block of blocks) {
      if (block.number === 1) await moments[`${block.section}/0`]?.('');
      const said = await give(block, on);
      await moments[`${block.section}/${block.number}`]?.(said);
    }
  } finally {
    await door.close();
  }
  figures.push({ what: 'blocks that were given word for word', figure: String(blocks.length) });
  return figures;
}

const restart = 'systemctl restart everkept-web everkept-worker';
const madeByCaddy = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';
const authority = '/etc/own-authority.pem';
const person = { email: owner, firstName: 'Silas', lastName: 'Reed', password: `pear-tree-${randomUUID()}` };
const register = `curl -sf --cacert ${authority} https://$SITE/api/register -H 'content-type: application/json' -d '${JSON.stringify(person)}'`;

/** @throws where it does not end well, with all that it said. */
async function give(block: Block, on: (machine: string, script: string) => Promise<Said>): Promise<string> {
  const { section, number, machine, script } = block;
  const startedMs = performance.now();
  const { code, text } = await on(machine, script);
  const name = `${section}, block ${number}, on the ${machine} machine`;
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${script}\n${text.slice(-4_000)}`);
  process.stdout.write(`${name} (${((performance.now() - startedMs) / 1_000).toFixed(0)} s)\n`);
  return text;
}

async function until(isSo: () => Promise<boolean>, forMs = waitMs): Promise<boolean> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < forMs) {
    if (await isSo()) return true;
    await sleep(1_000);
  }
  return false;
}
