import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Part, pathOf } from './drill.ts';

/** What builds images and runs them without a registry. */
export const containerParts: readonly Part[] = ['buildah', 'debootstrap', 'podman', 'runc'].map((name) => ({
  command: name,
  package: name,
}));

const run = promisify(execFile);
const outputBytesMax = 64 * 1024 * 1024;
/** As Node.js’s own image is called in our Dockerfile. */
const baseImage = 'docker.io/library/node:24-trixie-slim';
const suite = 'trixie';
const network = 'everkept-drill';
const subnet = '10.217.43.0/24';
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
  // Of its own: two programs that manage the usual one would lead to different bridges.
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
  return {
    /** Makes what stands for Node.js’s own image: Debian, this Node.js and its npm, and the certificates that are trusted here. */
    async makeBase() {
      const root = join(folder, 'root');
      await run('debootstrap', ['--variant=minbase', suite, root], { maxBuffer: outputBytesMax });
      const [bin, packages] = [join(root, 'usr/local/bin'), join(root, 'usr/local/lib/node_modules')];
      await mkdir(packages, { recursive: true });
      await cp(await realpath(process.execPath), join(bin, 'node'));
      const npm = await realpath(pathOf('npm') ?? 'npm');
      await cp(dirname(dirname(npm)), join(packages, 'npm'), { recursive: true });
      await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm')]);
      const trusted = process.env.NODE_EXTRA_CA_CERTS;
      if (trusted) await cp(trusted, join(root, 'etc/trusted.pem'));
      const lines = ['FROM scratch', 'COPY root /', 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'];
      if (trusted) lines.push('ENV NODE_EXTRA_CA_CERTS=/etc/trusted.pem');
      await writeFile(join(folder, 'Base'), lines.join('\n'));
      await build(baseImage, '-f', join(folder, 'Base'), folder);
      await rm(root, { recursive: true });
    },
    /** @param target of the Dockerfile in this folder; without one, what it builds by itself. */
    build: (name: string, target?: string) =>
      build(name, '--format=docker', '--pull-never', ...(target ? ['--target', target] : []), '.'),
    /** What an image has above its base, in bytes. */
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
    /** The same, without waiting; `name` is its name from then on. */
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

/** How a program ended and what it said, wherever it said it. */
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
