import { recentlyDeletedDays } from '#shared/rules/retention.ts';

/** Heading of each vault page, by its address. The first frame and the final page share it. */
export const vaultHeadings = {
  '/': { title: 'Dashboard', intro: 'Manage your digital legacy securely' },
  '/messages': { title: 'Messages', intro: 'Letters for the people you love, kept until they are needed' },
  '/documents': { title: 'Documents', intro: 'Wills, policies and photographs, kept until they are needed' },
  '/contacts': { title: 'Trusted Contacts', intro: 'People who would know what has happened to you' },
  '/rehearsal': {
    title: 'Rehearsal',
    intro: 'What would happen if you fell silent today: who would get what, and when. Looking here sends nothing.',
  },
  '/recently-deleted': {
    title: 'Recently deleted',
    intro: `Messages, documents and contacts that you deleted within the last ${recentlyDeletedDays} days. None of them is sent or shown to anybody, and none counts for your plan.`,
    width: 'narrow',
  },
  '/help': { title: 'Help & Guidance', intro: 'What to put in order now, and what to do when someone dies' },
  '/first-weeks': {
    title: 'The first weeks',
    intro: 'What your family does in the first month, with your notes. This is the page as they would see it.',
  },
  '/first-weeks/notes': {
    title: 'Notes for the first weeks',
    intro: 'Plain facts that your family needs in the first month after your death',
  },
  '/account': { title: 'Account & Billing', intro: 'Your plan, how it is paid for, and what is used of it' },
  '/privacy': {
    title: 'Privacy & Security',
    intro: 'Who can open your vault, where it is open, and what was done in it',
  },
} as const;

export type VaultPath = keyof typeof vaultHeadings;
