import path from 'node:path';
import { build } from 'vite';
import { noteFolders } from './licences.ts';

/**
 * Bundles what the browser fetches, with a manifest of which file needs which. Returns the folders of the packages that are in
 * it, workers included.
 */
export async function bundleClient({ root, outDir }: { root: string; outDir: string }): Promise<Set<string>> {
  const folders = new Set<string>();
  const plugins = [noteFolders(folders)];
  await build({ ...shared(root), plugins, worker: { plugins: () => plugins }, build: { outDir, emptyOutDir: true } });
  return folders;
}

/**
 * Bundles what draws pages outside of a browser, for Node, with all it needs: `prerender.js` for the public ones while the
 * web is built, and `render-linked.js` for those behind links, which the server draws as they are asked for.
 */
export async function bundleDrawing({ root, outDir }: { root: string; outDir: string }): Promise<void> {
  const input = ['web/prerender.tsx', 'web/render-linked.tsx'].map((file) => path.join(root, file));
  await build({
    ...shared(root),
    publicDir: false,
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    build: { outDir, emptyOutDir: true, manifest: false, ssr: true, rolldownOptions: { input } },
  });
}

function shared(root: string) {
  return {
    configFile: path.join(root, 'vite.config.ts'),
    configLoader: 'native',
    root: path.join(root, 'web'),
    logLevel: 'warn',
  } as const;
}
