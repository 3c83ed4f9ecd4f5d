import { prerender } from 'react-dom/static';
import { LandingPage } from '#web/pages/landing.tsx';
import { Root } from '#web/root.tsx';

/** A page that is sent ready to read: its file, the mark `main.tsx` knows it by, its title and its markup. */
export type PrerenderedPage = { page: 'landing'; title: string; markup: string };

/** Draws the public pages at build time. Lazy parts are waited for. */
export async function prerenderPages(): Promise<PrerenderedPage[]> {
  const { prelude } = await prerender(<Root FirstPage={LandingPage} ssrPath="/" />);
  const markup = await new Response(prelude).text();
  return [{ page: 'landing', title: 'Your digital legacy, protected forever – Everkept', markup }];
}
