import { z } from 'zod';

/**
 * npm leaves packages out of the lock file that the registry did not deliver, such as builds for other systems. `npm
 * ci` then refuses the file. The missing entries follow from the name alone, because no other system installs them.
 */
const entrySchema = z.looseObject({
  version: z.string().optional(),
  dev: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});

const lockSchema = z.looseObject({ packages: z.record(z.string(), entrySchema) });

export type Lock = z.infer<typeof lockSchema>;
type Entry = z.infer<typeof entrySchema>;

export type MissingEntry = {
  /** The key of the package that asks for it. */
  parent: string;
  name: string;
  version: string;
};

/** Reads `package-lock.json`, with every key in the order it has there. Throws where it is none. */
export function parseLock(text: string): Lock {
  const lock: unknown = JSON.parse(text);
  assertLock(lock);
  return lock;
}

// Checked in place: what the schema gives back has its own keys in front.
function assertLock(lock: unknown): asserts lock is Lock {
  lockSchema.parse(lock);
}

/** Every optional package that is asked for and has no entry of that version where Node would look for it. */
export function missingEntries({ packages }: Lock): MissingEntry[] {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => !isSatisfied(resolveEntry(packages, parent, name), version))
      .map(([name, version]) => ({ parent, name, version })),
  );
}

/** The lock file with an entry for each of them. Throws where a name does not say for which system it is. */
export function completeLock(lock: Lock): Lock {
  const packages = { ...lock.packages };
  for (const { parent, name, version } of missingEntries(lock)) {
    if (!isExact(version))
      throw new Error(`${name}@${version} is missing, and a range does not say which one to enter.`);
    const outer = `node_modules/${name}`;
    const key = packages[outer] ? `${parent}/${outer}` : outer;
    const dev = packages[parent]?.dev ? { dev: true } : {};
    packages[key] = { version, ...platformOf(name), ...dev, optional: true };
  }
  // In npm's own order, so that its next run changes nothing.
  const sorted = Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

/** Names of the packages that only development installs, at no place for anything else. */
export function developmentPackages({ packages }: Lock): ReadonlySet<string> {
  const entries = Object.entries(packages).map(([key, { dev = false }]) => {
    return { name: key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length), dev };
  });
  const others = new Set(entries.filter(({ dev }) => !dev).map(({ name }) => name));
  return new Set(entries.filter(({ name, dev }) => dev && !others.has(name)).map(({ name }) => name));
}

/** The packages that hold a Node.js, one for each kind of machine. */
const nodeOfMachine = /^node_modules\/node-(?:linux|win|darwin)-/;

/**
 * Lock file without the binary name `node` of packages that have one. npm before 11 removes the binary of a package
 * for another machine by its name. That removes the one it has just linked too. `build/node` has the name instead.
 */
export function withoutContestedNames(lock: Lock): Lock {
  const packages = Object.entries(lock.packages).map(([key, entry]) => {
    const { bin: _, ...others } = entry;
    return [key, nodeOfMachine.test(key) ? others : entry] as const;
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

/** `@swc/core-linux-arm64-musl` is for Linux on arm64 with musl: the fields npm compares with the machine. */
export function platformOf(name: string): { os?: string[]; cpu: string[]; libc?: string[] } {
  const words = (name.split('/').at(-1) ?? '')
    .split('-')
    .map((word) => (word === 'windows' || word === 'win' ? 'win32' : word));
  const system = words.find((word) => systems.includes(word));
  const processor = words.find((word) => processors.includes(word));
  if (!processor || (!system && processor !== 'wasm32')) {
    throw new Error(`${name} is missing, and its name does not say for which system it is.`);
  }
  return { ...(system && { os: [system] }), cpu: [processor], ...libcOf(system, words) };
}

function libcOf(system: string | undefined, words: string[]): { libc?: string[] } {
  if (system !== 'linux') return {};
  if (words.some((word) => word.startsWith('musl'))) return { libc: ['musl'] };
  return words.some((word) => word.startsWith('gnu')) ? { libc: ['glibc'] } : {};
}

/** As Node looks for a package: beside its parent's own packages first, then one level out at a time. */
function resolveEntry(packages: Lock['packages'], parent: string, name: string): Entry | undefined {
  let base = parent;
  for (;;) {
    const found = packages[base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`];
    if (found || base === '') return found;
    const cut = base.lastIndexOf('/node_modules/');
    base = cut < 0 ? '' : base.slice(0, cut);
  }
}

function isSatisfied(entry: Entry | undefined, version: string): boolean {
  return entry !== undefined && (!isExact(version) || entry.version === version);
}

function isExact(version: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version);
}
