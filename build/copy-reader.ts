import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { readerFile } from '#server/features/data-export/copy/copy-page.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Bundles the script of a copy of a vault from `web/copy-page`: one text, which can stand inside a script element. */
export async function bundleReader(): Promise<string> {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      // Wherever WebCrypto and async functions are known.
      target: 'es2022',
      modulePreload: false,
      lib: { entry: path.join(root, 'web/copy-page/main.ts'), formats: ['iife'], name: 'everkeptCopy' },
    },
  });
  const [bundle] = Array.isArray(result) ? result : [result];
  const chunk = bundle && 'output' in bundle ? bundle.output[0] : undefined;
  if (chunk?.type !== 'chunk') throw new Error('The reader of copies was not bundled.');
  if (/<\/script|<!--/i.test(chunk.code)) throw new Error('The reader of copies would end its own element.');
  return chunk.code;
}

if (import.meta.main) await writeFile(readerFile, await bundleReader());
