import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Part, pathOf } from './drill.ts';

/** Tools that build and run images without a registry. */
export const containerParts: readonly Part[] = ['buildah', 'debootstrap', 'podman', 'runc'].map((name) => ({
  command: name,
  package: name,
}));

const run = promisify(execFile);
const outputBytesMax = 64 * 1024 * 1024;
/** As Node.js’s own image is called in our Dockerfile. */
const baseImage = 'docker.io/library/node:24-trixie-slim';
const machineImage = 'localhost/everkept-machine';
const suite = 'trixie';
/** Packages of a bare Debian that the minimal set lacks. */
const ofMachine = 'systemd,systemd-sysv,dbus,ca-certificates,curl,iproute2,adduser';
/** Flags that make systemd accept the control groups of older kernels. */
const systemdWords = 'systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1';
const network = 'everkept-drill';
const subnet = '10.217.43.0/24';
/** Host address inside of containers. */
export const gateway = '10.217.43.1';
/** Limits that a machine without the right to raise its own can set. */
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

export type Said = { code: number; text: string };

/** A store of images and containers of its own, in a folder of its own. */
export async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-images-'));
  const storage = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  const buildah = (...words: string[]) => said('buildah', [...storage, ...words]);
  const engine = ['--runtime', 'runc', '--cgroup-manager=cgroupfs', '--events-backend=file', ...storage];
  const podman = (...words: string[]) =>
    said('podman', [...engine, '--network-config-dir', join(folder, 'networks'), ...words]);
  // A network of its own: two tools that share the default one would use different bridges.
  const made = await podman('network', 'create', '--disable-dns', `--subnet=${subnet}`, network);
  if (made.code !== 0) throw new Error(`No network for containers: ${made.text}`);
  const build = async (name: string, ...words: string[]) => {
    const { code, text } = await buildah(
      'bud',
      '--isolation',
      'chroot',
      '--network=host',
      '--layers',
      '-t',
      name,
      ...words,
    );
    if (code !== 0) throw new Error(`${name} could not be built:\n${text.slice(-2_000)}`);
  };
  const buildDebian = async (
    name: string,
    { command, include }: { command: string[]; include: string },
    furnish: (root: string) => Promise<void> = async () => undefined,
  ) => {
    const root = join(folder, 'root');
    const words = ['--variant=minbase', ...(include ? [`--include=${include}`] : []), suite, root];
    await run('debootstrap', words, { maxBuffer: outputBytesMax });
    await furnish(root);
    const trusted = process.env.NODE_EXTRA_CA_CERTS;
    if (trusted) await cp(trusted, join(root, 'etc/trusted.pem'));
    const lines = [
      'FROM scratch',
      'COPY root /',
      'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    ];
    if (trusted) lines.push('ENV NODE_EXTRA_CA_CERTS=/etc/trusted.pem');
    if (command.length > 0) lines.push(`CMD ${JSON.stringify(command)}`);
    await writeFile(join(folder, 'Base'), lines.join('\n'));
    await build(name, '-f', join(folder, 'Base'), folder);
    await rm(root, { recursive: true });
  };
  return {
    folder,
    /** Makes a stand-in for Node.js’s own image: Debian, this Node.js with npm, and the certificates trusted here. */
    async makeBase() {
      await buildDebian(baseImage, { command: [], include: '' }, async (root) => {
        const [bin, packages] = [join(root, 'usr/local/bin'), join(root, 'usr/local/lib/node_modules')];
        await mkdir(packages, { recursive: true });
        await cp(await realpath(process.execPath), join(bin, 'node'));
        const npm = await realpath(pathOf('npm') ?? 'npm');
        await cp(dirname(dirname(npm)), join(packages, 'npm'), { recursive: true });
        await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm')]);
      });
    },
    /** Starts a bare Debian with systemd, and waits until it is up. */
    async startMachine(name: string, { options = [] }: { options?: string[] } = {}) {
      const isMade = (await podman('image', 'exists', machineImage)).code === 0;
      if (!isMade) await buildDebian(machineImage, { command: ['/sbin/init'], include: ofMachine });
      const own = [
        '--privileged',
        '--systemd=always',
        `--env=SYSTEMD_PROC_CMDLINE=${systemdWords}`,
        `--hostname=${name}`,
      ];
      const words = ['-d', '--name', name, ...limits, ...own, ...attached(options)];
      const { code, text } = await podman('run', ...words, machineImage);
      if (code !== 0) throw new Error(`${name} did not start: ${text}`);
      await podman('exec', name, 'sh', '-c', 'systemctl is-system-running --wait || true');
    },
    /** @param target of the Dockerfile in this folder; without one, what it builds by itself. */
    build: (name: string, target?: string) =>
      build(name, '--format=docker', '--pull-never', ...(target ? ['--target', target] : []), '.'),
    /** Bytes of an image above its base. */
    async bytesAboveBase(name: string): Promise<number> {
      const size = async (image: string) => Number((await podman('image', 'inspect', '-f', '{{.Size}}', image)).text);
      return (await size(name)) - (await size(baseImage));
    },
    /** Runs an image that nothing can be written to but its volumes, and waits until it ends. */
    run: (image: string, { options = [], words = [] }: { options?: string[]; words?: string[] } = {}) =>
      podman(
        'run',
        '--rm',
        '--read-only',
        '--tmpfs=/tmp',
        '--no-healthcheck',
        ...limits,
        ...attached(options),
        image,
        ...words,
      ),
    /** Starts without waiting, under the container name `name`. */
    async start(name: string, image: string, { options = [] }: { options?: string[] } = {}) {
      const words = [
        '-d',
        '--name',
        name,
        '--read-only',
        '--tmpfs=/tmp',
        '--no-healthcheck',
        ...limits,
        ...attached(options),
      ];
      const { code, text } = await podman('run', ...words, image);
      if (code !== 0) throw new Error(`${name} did not start: ${text}`);
    },
    podman,
    async close() {
      await podman('rm', '--all', '--force', '--time=0');
      await podman('network', 'rm', network);
      await podman('rmi', '--all', '--force');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** To our network, unless another is asked for. */
function attached(options: readonly string[]): readonly string[] {
  return options.some((one) => one.startsWith('--network=')) ? options : [`--network=${network}`, ...options];
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Exit code and output of a program, on either stream. */
async function said(command: string, words: readonly string[]): Promise<Said> {
  try {
    const { stdout, stderr } = await run(pathOf(command) ?? command, [...words], { maxBuffer: outputBytesMax });
    return { code: 0, text: (stdout + stderr).trim() };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, text: (stdout + stderr).trim() };
  }
}
