import type { ReadyPageName } from '#web/ready-pages.tsx';

/** Head data of a page that is ready to read, for the build. */
export type ReadyPageHead = {
  /** The addresses at which it stands. The first one is drawn. */
  paths: readonly [string, ...string[]];
  /** The module that holds it, from the web's root: what it needs of styles is found by it. */
  source: string;
  title: string;
  /** Description below the title in a search engine. */
  description: string;
};

const productDescription =
  'Write to the people you love, now. Your letters stay sealed while you are here, and arrive when it is time.';

/** Head data of each page with an address of its own. No browser fetches this file. */
export const readyPageHeads: Record<Exclude<ReadyPageName, 'unknown'>, ReadyPageHead> = {
  landing: {
    paths: ['/'],
    source: 'pages/public/landing.tsx',
    title: 'Your digital legacy, protected forever',
    description: productDescription,
  },
  'user-guide': {
    paths: ['/user-guide'],
    source: 'pages/public/user-guide.tsx',
    title: 'User guide',
    description: 'Six steps from an empty vault to letters that arrive, and what each part of Everkept does.',
  },
  faq: {
    paths: ['/faq'],
    source: 'pages/public/faq.tsx',
    title: 'Frequently asked questions',
    description: 'What happens when you stop answering, who is asked, what is sent, and who can read it.',
  },
  integrations: {
    paths: ['/integrations'],
    source: 'pages/public/integrations.tsx',
    title: 'Integrations',
    description: 'What Everkept works with today, what comes soon, and what is planned.',
  },
  security: {
    paths: ['/security'],
    source: 'pages/public/security.tsx',
    title: 'Security',
    description: 'How letters are encrypted, where they are kept, and what the law asks of us.',
  },
  'first-week': {
    paths: ['/first-week'],
    source: 'pages/public/first-week.tsx',
    title: 'The first week after a death',
    description: 'Only a few things cannot wait: whom to call, how to register, and what to leave for later.',
  },
  privacy: {
    paths: ['/privacy', '/privacy-policy'],
    source: 'pages/public/privacy-policy.tsx',
    title: 'Privacy policy',
    description: 'What we collect, how long we keep it, and what you can ask of us.',
  },
};
