import path from 'node:path';
import { build } from 'vite';

/** Bundles what the browser fetches, with a manifest of which file needs which. */
export async function bundleClient({ root, outDir }: { root: string; outDir: string }): Promise<void> {
  await build({ ...shared(root), build: { outDir, emptyOutDir: true } });
}

/** Bundles the drawing of the public pages for Node, and gives the file to import. */
export async function bundlePrerender({ root, outDir }: { root: string; outDir: string }): Promise<string> {
  await build({
    ...shared(root),
    publicDir: false,
    build: { outDir, emptyOutDir: true, manifest: false, ssr: path.join(root, 'web/prerender.tsx') },
  });
  return path.join(outDir, 'prerender.js');
}

function shared(root: string) {
  return {
    configFile: path.join(root, 'vite.config.ts'),
    configLoader: 'native',
    root: path.join(root, 'web'),
    logLevel: 'warn',
  } as const;
}
