// Plain JavaScript that an old Node can still read: the rest of the server needs Node 24, bundled or as TypeScript.
// A default import, because an old Node has no `enableCompileCache` and would refuse a named one before line one runs.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const requiredMajor = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major !== requiredMajor) {
  console.error(
    `Everkept needs Node.js ${requiredMajor}, and this is ${process.versions.node}. ` +
      `Run "npm ci" and then "npm start", which bring the right one along, or install Node.js ${requiredMajor} where there is no package of it, as on macOS and Windows.`,
  );
  process.exitCode = 1;
} else {
  // Keeps the compiled code and the code without its types: the next start takes a fraction of the time. A folder
  // that cannot be written to costs only the speed, so the answer is not looked at.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
  const { freshBundle } = await import('./bundle.mjs');
  await import(freshBundle()?.href ?? './cli.ts');
}
