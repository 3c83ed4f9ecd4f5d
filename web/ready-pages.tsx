import type { ComponentType } from 'react';
import { PublicFrame } from '#web/components/layout/public-header.tsx';

/** A page that is drawn when the web is built, so that a visitor can read it before any script runs, or without. */
export type ReadyPage = {
  /** The addresses at which it stands. The first one is drawn. */
  paths: readonly [string, ...string[]];
  /** The module that holds it, from the web's root: what it needs of styles is found by it. */
  source: string;
  title: string;
  /** What a search engine shows below the title. */
  description: string;
  /** Fetches the page with what stands around it. */
  load: () => Promise<ComponentType>;
};

const productDescription =
  'Write to the people you love, now. Your letters stay sealed while you are here, and arrive when it is time.';

/** By the name of the file that is made of each. */
export const readyPages = {
  landing: {
    paths: ['/'],
    source: 'pages/public/landing.tsx',
    title: 'Your digital legacy, protected forever',
    description: productDescription,
    load: async () => (await import('./pages/public/landing.tsx')).LandingPage,
  },
  'user-guide': {
    paths: ['/user-guide'],
    source: 'pages/public/user-guide.tsx',
    title: 'User guide',
    description: 'Six steps from an empty vault to letters that arrive, and what each part of Everkept does.',
    load: async () => framed((await import('./pages/public/user-guide.tsx')).UserGuidePage),
  },
  faq: {
    paths: ['/faq'],
    source: 'pages/public/faq.tsx',
    title: 'Frequently asked questions',
    description: 'What happens when you stop answering, who is asked, what is sent, and who can read it.',
    load: async () => framed((await import('./pages/public/faq.tsx')).FaqPage),
  },
  integrations: {
    paths: ['/integrations'],
    source: 'pages/public/integrations.tsx',
    title: 'Integrations',
    description: 'What Everkept works with today, what comes soon, and what is planned.',
    load: async () => framed((await import('./pages/public/integrations.tsx')).IntegrationsPage),
  },
  security: {
    paths: ['/security'],
    source: 'pages/public/security.tsx',
    title: 'Security',
    description: 'How letters are encrypted, where they are kept, and what the law asks of us.',
    load: async () => framed((await import('./pages/public/security.tsx')).SecurityPage),
  },
  privacy: {
    paths: ['/privacy', '/privacy-policy'],
    source: 'pages/public/privacy-policy.tsx',
    title: 'Privacy policy',
    description: 'What we collect, how long we keep it, and what you can ask of us.',
    load: async () => framed((await import('./pages/public/privacy-policy.tsx')).PrivacyPolicyPage),
  },
} satisfies Record<string, ReadyPage>;

export type ReadyPageName = keyof typeof readyPages;

/** Whether a name, as it stands in the markup, is that of a page that is ready to read. */
export function isReadyPageName(name: string | undefined): name is ReadyPageName {
  return name !== undefined && Object.hasOwn(readyPages, name);
}

function framed(Page: ComponentType): ComponentType {
  return () => <PublicFrame Page={Page} />;
}
