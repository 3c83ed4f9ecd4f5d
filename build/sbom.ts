import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Prints the bill of materials of a release in CycloneDX, from the lock file. It lists every production package for
 * every system, with its checksum. `--installed` lists node_modules, for an image. npm writes the whole list, but
 * `--omit dev` also drops production packages that a development package needs, such as react. So entries marked as
 * development are removed here.
 */
type Component = { 'bom-ref': string; properties?: { name: string }[] };
type Bom = { components: Component[]; dependencies: { ref: string; dependsOn: string[] }[] };

const developmentMark = 'cdx:npm:package:development';
const source = process.argv.includes('--installed') ? [] : ['--package-lock-only'];
const listBytesMax = 64 * 1024 * 1024;

const { stdout } = await promisify(execFile)(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...source],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    maxBuffer: listBytesMax,
    // On Windows npm is no program by itself.
    shell: process.platform === 'win32',
  },
);
const bom = JSON.parse(stdout) as Bom;
const isDevelopment = ({ properties = [] }: Component) => properties.some(({ name }) => name === developmentMark);
const left = new Set(bom.components.filter(isDevelopment).map((component) => component['bom-ref']));
const components = bom.components.filter((component) => !isDevelopment(component));
const dependencies = bom.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
console.log(JSON.stringify({ ...bom, components, dependencies }, null, 2));
