import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ComponentType } from 'react';
import { describe, expect, it } from 'vitest';
import { matchRoute } from 'wouter';
import { pasteInto } from '#tests/support/paste-into.ts';
import { exampleSchedule } from '#web/content/silence.ts';
import { PortalDemoPage } from '#web/pages/links/portal-demo.tsx';
import { openPage } from '#web/pages/pages.test-world.tsx';
import { previewedPages } from '#web/previewed-pages.ts';
import { readyPageHeads } from '#web/ready-page-heads.ts';
import { type ReadyPageName, readyPages } from '#web/ready-pages.tsx';
import { visitorRoutes } from '#web/routes.tsx';

const loaded = Object.fromEntries(
  await Promise.all(Object.entries(readyPages).map(async ([name, load]) => [name, await load()])),
) as Record<ReadyPageName, ComponentType>;
const show = (name: keyof typeof readyPageHeads) =>
  openPage(loaded[name], { route: '*', at: readyPageHeads[name].paths[0] });

const hasPage = (path: string) =>
  previewedPages.some(({ paths }) => paths.includes(path)) ||
  visitorRoutes.some((route) => matchRoute(parser, route.path, path)[0]);
const parser = (pattern: string | RegExp) => {
  if (pattern instanceof RegExp) throw new Error('No route of ours is a regular expression.');
  return {
    pattern: new RegExp(`^${pattern.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}/?$`),
    keys: [],
  };
};

describe('every link of a page that is read', () => {
  const pages = [...Object.entries(loaded), ['the demonstration', PortalDemoPage] as const];
  it.each(pages)('%s leads somewhere', (_name, Page) => {
    render(<Page />);
    const hrefs = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
    expect(hrefs.length).toBeGreaterThan(5);
    const dead = hrefs.filter((href) => {
      if (href.startsWith('#')) return document.getElementById(href.slice(1)) === null;
      return href.startsWith('/') ? !hasPage(href.split(/[?#]/)[0] ?? '') : !/^(mailto:|tel:\d|https:)/.test(href);
    });
    expect(dead).toEqual([]);
  });

  it('would be found out if it did not', () => {
    expect(['/nowhere', '/faq/more', '/messages'].filter(hasPage)).toEqual([]);
    expect(['/faq', '/message/abc', '/message', '/register'].filter((path) => !hasPage(path))).toEqual([]);
  });
});

describe('the first week after a death', () => {
  it('is open to visitors, and names the nations of each part that differs', () => {
    show('first-week');
    const days = within(screen.getByRole('region', { name: 'The first days' }));
    expect(days.getByRole('heading', { name: /^On the day ?, England, Wales and Scotland$/ })).toBeDefined();
    expect(days.getByRole('heading', { name: /^On the day ?, Northern Ireland$/ })).toBeDefined();
    expect(screen.getByRole('region', { name: 'Registering a death' })).toBeDefined();
  });
});

describe('the user guide', () => {
  it('begins with six steps, in their order, and leads on', () => {
    show('user-guide');
    const steps = within(screen.getByRole('region', { name: 'Quick start' })).getAllByRole('listitem');
    expect(steps.map((step) => step.querySelector('h3')?.textContent)).toEqual([
      'Create your account',
      'Set up your profile',
      'Add trusted contacts',
      'Create messages',
      'Upload documents',
      'Configure release settings',
    ]);
    const next = within(screen.getByRole('region', { name: 'Where to go now' }));
    const hrefs = next.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(hrefs).toEqual(['/register', '/trusted-contact-demo']);
  });
});

describe('the questions', () => {
  const shown = () => [...document.querySelectorAll('details')].map(({ id }) => id);

  it('are at least twenty-five, and tell the days of the release by its own rules', () => {
    show('faq');
    expect(shown().length).toBeGreaterThanOrEqual(25);
    const { firstReminderDay, lastReminderDay, contactsAskedDay, automaticDeliveryDay } = exampleSchedule;
    expect([firstReminderDay, lastReminderDay, contactsAskedDay, automaticDeliveryDay]).toEqual([45, 80, 90, 97]);
    const answer = document.getElementById('when-reminded')?.textContent;
    expect(answer).toContain('First reminder on day 45, last reminder on day 80, contacts asked on day 90');
    expect(answer).toContain('First reminder on day 183, last reminder on day 355, contacts asked on day 365');
    expect(answer).toContain('Automatic delivery on day 97');
  });

  it('are found by what they say, opened, and counted; and come back when the box is emptied', async () => {
    show('faq');
    const all = shown().length;
    const box = screen.getByRole('searchbox', { name: 'Search the questions' });
    await pasteInto(box, 'valid WILL');
    expect(shown()).toEqual(['is-this-a-will']);
    expect(document.querySelector('details')?.open).toBe(true);
    expect(screen.getByRole('status').textContent).toBe('1 question found.');

    await pasteInto(box, ' zebra');
    expect(shown()).toEqual([]);
    expect(screen.getByRole('status').textContent).toBe('No question holds all of these words.');

    await userEvent.clear(box);
    expect(shown()).toHaveLength(all);
    expect([...document.querySelectorAll('details')].filter(({ open }) => open)).toEqual([]);
  });
});

describe('the privacy policy', () => {
  it('has its version, its sections, and the periods by which things are deleted', () => {
    show('privacy');
    expect(screen.getByText('Policy version 2.1, last updated January 31, 2025.')).toBeTruthy();
    const titles = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
    expect(titles).toEqual([
      'Data collection',
      'Encryption',
      'Trusted contact verification',
      'Retention and deletion',
      'Disaster recovery',
      'Privacy rights',
      'Legal and compliance',
    ]);
    const kept = screen.getByRole('region', { name: 'Retention and deletion' }).textContent;
    for (const words of [
      'Deleted automatically after 30 days.',
      'Kept for 6 months after delivery on the free plan and for 12 months on paid plans',
      'for more than 1 year',
      'Kept for 6 months after payment stops',
      'We tell you 30 days before.',
      'Can be downloaded by that contact for 30 days after a release.',
      'What you delete yourselfKept for 30 days, so that you can restore it, and then deleted.',
      'Account dataKept until you delete your account, and for 30 days after that.',
      'Audit logsKept for 2 years',
      'Security logsKept for 1 year',
      'Payment recordsKept for 7 years',
      'Marketing dataKept until you withdraw your agreement, and for 30 days after that.',
      'after 3 years or more, with 90 days of notice',
      'If you delete your account, you can take that back for 30 days.',
    ]) {
      expect(kept).toContain(words);
    }
    const recovery = screen.getByRole('region', { name: 'Disaster recovery' }).textContent;
    expect(recovery).toContain('99.9% uptime');
    expect(recovery).toContain('we tell you 90 days before. You then have 60 days');
    const encryption = screen.getByRole('region', { name: 'Encryption' }).textContent;
    expect(encryption).toMatch(/At rest: AES-256\..*In transit: TLS 1\.3,/);
    const rights = screen.getByRole('region', { name: 'Privacy rights' }).textContent;
    expect(rights).toContain('We answer within 30 days.');
  });
});

describe('the integrations', () => {
  it('each have one of three statuses', () => {
    show('integrations');
    const statusOf = (name: string) =>
      screen.getByRole('heading', { level: 3, name }).closest('li')?.querySelector('.badge')?.textContent;
    expect([statusOf('Email by SMTP'), statusOf('PostgreSQL')]).toEqual(['Live', 'Live']);
    expect([statusOf('Stripe'), statusOf('PayPal')]).toEqual(['Live', 'Live']);
  });
});
