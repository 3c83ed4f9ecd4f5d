import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { supportEmail } from '#shared/product.ts';
import { LandingPage } from './landing.tsx';

beforeEach(() => {
  render(<LandingPage />);
});

const part = (name: string | RegExp) => within(screen.getByRole('region', { name }));
const headings = (name: string) =>
  part(name)
    .getAllByRole('heading', { level: 3 })
    .map(({ textContent }) => textContent);
const goesTo = (link: HTMLElement) => link.getAttribute('href');

describe('The landing page', () => {
  it('leads from its header to the sign-in and to a new account', () => {
    const links = [...document.querySelectorAll<HTMLElement>('header.head .btns a')];
    expect(links.map((link) => [link.textContent, goesTo(link)])).toEqual([
      ['Sign In', '/login'],
      ['Create Account', '/register'],
    ]);
    // On a phone they stand below the name, where other words of the header are hidden.
    expect(links.filter(({ className }) => className.includes('hide-s'))).toEqual([]);
  });

  it('begins a vault with the setup, without a card', () => {
    expect(screen.getByRole('heading', { level: 1 }).textContent?.replace('\u00a0', ' ')).toBe(
      'Your Digital Legacy, Protected Forever',
    );
    expect(goesTo(screen.getByRole('link', { name: 'Start Your Vault (Free)' }))).toBe('/easy-setup');
    expect(screen.getByText('No credit card required • Start with our free plan')).toBeDefined();
  });

  it('tells more in its own about section, which is the story of the founder', () => {
    const target = goesTo(screen.getByRole('link', { name: 'Tell Me More' }));
    const story = screen.getByRole('region', { name: 'Why we made a place for letters' });
    expect(target).toBe(`#${story.id}`);
    expect(story.id).toBe('about');
    expect(within(story).getByText(/^When my father died/)).toBeDefined();
    expect(within(story).getByText('The founder of Everkept')).toBeDefined();
  });

  it('scrolls smoothly, but for those who asked for less motion', () => {
    // There is no scrolling here, so the one line that makes it smooth is looked for.
    const baseStyles = readFileSync(join(import.meta.dirname, '../../styles/base.css'), 'utf8');
    expect(baseStyles.replace(/\s+/g, ' ')).toContain(
      '@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }',
    );
  });

  it('shows how it works in three steps, in their order', () => {
    expect(headings('How it works')).toEqual(['Create your vault', 'Choose trusted contacts', 'Automatic delivery']);
    expect(part('How it works').getAllByRole('listitem')).toHaveLength(3);
  });

  it('names the saving at the annual price, and the selection at every plan', () => {
    const prices = part('What it costs');
    const period = within(prices.getByRole('group', { name: 'Billing period' }));
    expect(period.getByText('Save 15%').closest('label')).toBe(period.getByText(/Annual/).closest('label'));
    expect(period.getByText('Monthly').textContent).not.toContain('Save');
    const bars = prices.getAllByText('Selected').map((bar) => bar.closest('.picked'));
    expect(bars.map((bar) => bar?.querySelector('a')?.getAttribute('href'))).toEqual([
      '/subscribe?plan=free',
      '/subscribe?plan=essential',
      '/subscribe?plan=premium',
      '/subscribe?plan=lifetime',
    ]);
  });

  it('answers four questions, of which several stand open at once, and leads to all of them', async () => {
    const questions = part('Questions people ask first');
    const entries = questions.getAllByRole<HTMLDetailsElement>('group');
    const open = () => entries.map((entry) => entry.open);
    expect(open()).toEqual([true, false, false, false]);
    // With a name in common, opening one would close the others.
    expect(entries.some((entry) => entry.hasAttribute('name'))).toBe(false);
    for (const question of ['Is this a will?', 'What if I stop paying?']) {
      await userEvent.click(questions.getByText(question));
    }
    expect(open()).toEqual([true, false, true, true]);
    expect(questions.getByText(/what is above them is kept for 6 months/)).toBeDefined();
    await userEvent.click(questions.getByText('What if I am only on a long holiday?'));
    expect(open()).toEqual([false, false, true, true]);
    expect(goesTo(questions.getByRole('link', { name: 'View All FAQs' }))).toBe('/faq');
  });

  it('says how everything is protected', () => {
    const titles = part('Trust & Security')
      .getAllByRole('term')
      .map(({ textContent }) => textContent);
    expect(titles).toEqual(['AES-256 encryption', 'GDPR compliant', 'SSL/TLS secured', 'Secure access']);
    expect(part('Trust & Security').getAllByRole('definition')).toHaveLength(4);
  });

  it('says how a person is reached, and when', () => {
    const support = part('Ask a person');
    expect(goesTo(support.getByRole('link', { name: supportEmail }))).toBe(`mailto:${supportEmail}`);
    expect(support.getByText('Monday to Friday, 9 am to 5 pm, UK time')).toBeDefined();
  });

  it('ends with the pages to read and the copyright line', () => {
    const footer = within(screen.getByRole('contentinfo'));
    const links = within(footer.getByRole('navigation', { name: 'Footer' })).getAllByRole('link');
    expect(links.map((link) => [link.textContent, goesTo(link)])).toEqual([
      ['Privacy', '/privacy'],
      ['FAQ', '/faq'],
      ['Security', '/security'],
      ['Integrations', '/integrations'],
      ['Licences', '/licences'],
    ]);
    expect(footer.getByText('© 2026 Everkept. All rights reserved.')).toBeDefined();
  });
});
