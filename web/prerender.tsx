import { prerender } from 'react-dom/static';
import { Router } from 'wouter';
import { productName } from '#shared/product.ts';
import { VaultFrame } from '#web/components/layout/vault-frame.tsx';
import type { VaultPath } from '#web/content/vault-headings.ts';
import { type ReadyPageHead, readyPageHeads } from '#web/ready-page-heads.ts';
import { type ReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { Root } from '#web/root.tsx';

/** A page that is sent ready to read: its name, the addresses at which it stands, and its markup. */
export type PrerenderedPage = ReadyPageHead & { name: string; markup: string };

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
  const { paths, source, title, description } = readyPageHeads[name];
  const { prelude } = await prerender(<Root FirstPage={await readyPages[name]()} ssrPath={paths[0]} />);
  const markup = await new Response(prelude).text();
  return { name, paths, source, title: `${title} – ${productName}`, description, markup };
}
