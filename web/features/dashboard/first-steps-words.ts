import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import type { DashboardStats } from './dashboard-data.ts';

export type StepName = 'letter' | 'yes' | 'rehearsal' | 'copy';

export type FirstStep = {
  name: StepName;
  /** Waiting: another person has it in hand. */
  state: 'done' | 'waiting' | 'open';
  title: string;
  text: string;
  action: { href: string; label: string };
};

type Facts = {
  stats: Pick<DashboardStats, 'activeMessages' | 'trustedContacts' | 'hasRehearsed' | 'hasSavedCopy'>;
  overview: Pick<ReleaseOverview, 'readyMessages' | 'contactNames'>;
  /** True if the rehearsal was looked at in this browser. */
  hasLooked: boolean;
};

/** Steps to a complete vault, in the usual order. None is urgent. */
export function firstSteps({ stats, overview, hasLooked }: Facts): FirstStep[] {
  return [
    letterStep(stats.activeMessages, overview.readyMessages),
    yesStep(stats.trustedContacts, overview.contactNames),
    {
      name: 'rehearsal',
      state: stats.hasRehearsed || hasLooked ? 'done' : 'open',
      title: 'A rehearsal',
      text: 'See every email and every day as it would be. Looking here sends nothing.',
      action: { href: '/rehearsal', label: 'Rehearse' },
    },
    {
      name: 'copy',
      state: stats.hasSavedCopy ? 'done' : 'open',
      title: 'A saved copy',
      text: 'Keep everything on a disk of your own as well. It is yours, with or without us.',
      action: { href: '/data-export', label: 'Save a copy' },
    },
  ];
}

function letterStep(written: number, ready: number): FirstStep {
  const title = 'A letter';
  if (ready > 0) {
    const text = 'Sealed. You can open and change it at any time.';
    return { name: 'letter', state: 'done', title, text, action: { href: '/messages', label: 'See your letters' } };
  }
  if (written > 0) {
    const text = 'You have a draft. Nothing in it is sent before you say that it is ready.';
    return { name: 'letter', state: 'open', title, text, action: { href: '/messages', label: 'Go on writing' } };
  }
  const text = 'It can be short, and you can change it at any time.';
  return { name: 'letter', state: 'open', title, text, action: { href: '/messages', label: 'Write a letter' } };
}

function yesStep(named: number, names: readonly string[]): FirstStep {
  const title = 'A yes';
  const see = { href: '/contacts', label: 'See your contacts' };
  const [first] = names;
  if (first !== undefined) {
    return { name: 'yes', state: 'done', title, text: `${first} would be asked before anything is sent.`, action: see };
  }
  if (named > 0) {
    const text = 'We have asked. Without a yes, nobody is asked before your letter goes.';
    return { name: 'yes', state: 'waiting', title, text, action: see };
  }
  const text = 'Name somebody who would know. They have nothing to do until we ask them.';
  return { name: 'yes', state: 'open', title, text, action: { href: '/contacts', label: 'Name somebody' } };
}

const numberWords = ['Nothing', 'One small thing', 'Two small things', 'Three small things', 'Four small things'];

/** Remaining steps, in one sentence. */
export function whatIsLeft(steps: readonly FirstStep[]): string {
  const left = steps.filter(({ state }) => state !== 'done').length;
  return `${numberWords[left] ?? `${left} small things`} ${left === 1 ? 'is' : 'are'} left, and there is no hurry.`;
}
