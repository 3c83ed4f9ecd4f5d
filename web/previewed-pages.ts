import { readyPageHeads } from '#web/ready-page-heads.ts';

/** A public page as link previews, search engines and browser tabs name it. */
export type PreviewedPage = {
  paths: readonly [string, ...string[]];
  title: string;
  description: string;
  /** File in `public/pictures`, drawn by `npm run pictures`. */
  picture: string;
};

/** Public pages that the application draws in the browser. */
const drawnByScripts = [
  {
    paths: ['/register'],
    title: 'Create your account',
    description: 'Start a free vault. You need an email address and a password, and no card.',
  },
  {
    paths: ['/login'],
    title: 'Sign in',
    description: 'Open your vault with your password, a passkey or a provider you know.',
  },
  {
    paths: ['/easy-setup'],
    title: 'Easy Setup',
    description: 'Write a first letter and name the people who would know, one small step at a time.',
  },
  {
    paths: ['/subscribe'],
    title: 'Choose your plan',
    description: 'Safety is part of every plan: check-ins, trusted contacts and release settings.',
  },
  {
    paths: ['/complaint'],
    title: 'Complain about the use of your data',
    description: 'Tell us what went wrong. You don’t need an account for this.',
  },
  {
    paths: ['/emergency-activation'],
    title: 'Emergency Activation',
    description: 'For trusted contacts of somebody who has died or can’t act.',
  },
  {
    paths: ['/licences'],
    title: 'Licences',
    description: 'The licences of everything that your browser loads from us.',
  },
] as const satisfies readonly Omit<PreviewedPage, 'picture'>[];

/** Every public page. Pages behind links and pages of the vault have the general preview of `index.html`. */
export const previewedPages: readonly PreviewedPage[] = [
  ...Object.entries(readyPageHeads).map(([name, { paths, title, description }]) => ({
    ...{ paths, title, description },
    picture: `preview-${name}.png`,
  })),
  ...drawnByScripts.map((page) => ({ ...page, picture: `preview-${page.paths[0].slice(1)}.png` })),
];
