import { prerender } from 'react-dom/static';
import { Router } from 'wouter';
import { productName } from '#shared/product.ts';
import { VaultFrame } from '#web/components/layout/vault-frame.tsx';
import type { VaultPath } from '#web/content/vault-headings.ts';
import { readyPageHeads } from '#web/ready-page-heads.ts';
import { type ReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { Root } from '#web/root.tsx';
import { signedOutRoutes } from '#web/routes.tsx';

/** Page that is sent ready to read. The one for unknown addresses has no paths. */
export type PrerenderedPage = { name: string; paths: readonly string[]; source: string; title: string; markup: string };

/** Head of the page for unknown addresses. */
const unknownHead = { paths: [], source: 'pages/public/landing.tsx', title: 'Page Not Found' };

/** Paths of all pages, as the router writes them. The server answers any other path with 404. */
export const pagePaths: string[] = signedOutRoutes.map(({ path }) => path);

/** Draws the public pages at build time. Lazy parts are waited for. */
export async function prerenderPages(): Promise<PrerenderedPage[]> {
  return Promise.all((Object.keys(readyPages) as ReadyPageName[]).map(prerenderPage));
}

/** Draws the first frame of a vault page, shown until the application is ready. */
export async function prerenderFrame(path: VaultPath): Promise<string> {
  const { prelude } = await prerender(
    <Router ssrPath={path}>
      <VaultFrame path={path} />
    </Router>,
  );
  return new Response(prelude).text();
}

async function prerenderPage(name: ReadyPageName): Promise<PrerenderedPage> {
  const { paths, source, title } = name === 'unknown' ? unknownHead : readyPageHeads[name];
  const { prelude } = await prerender(<Root FirstPage={await readyPages[name]()} ssrPath={paths[0] ?? '/'} />);
  const markup = await new Response(prelude).text();
  return { name, paths, source, title: `${title} – ${productName}`, markup };
}
