import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, describe, expect, it } from 'vitest';
import { Tabs } from '#web/components/ui/tabs.tsx';

const tabs = [
  { id: 'letters', title: 'Letters', content: <p>About letters</p> },
  { id: 'papers', title: 'Papers', content: <p>About papers</p> },
  { id: 'people', title: 'People', content: <p>About people</p> },
] as const;
const show = () => render(<Tabs label="Parts" tabs={tabs} />);

const selected = () =>
  screen
    .getAllByRole('tab')
    .filter((tab) => tab.getAttribute('aria-selected') === 'true')
    .map((tab) => tab.textContent);
const shownPanels = () => screen.getAllByRole('tabpanel').map((panel) => panel.id);

afterEach(() => history.replaceState(null, '', '/'));

describe('tabs', () => {
  it('show the first part, and tell which tab names it', () => {
    show();
    expect([selected(), shownPanels()]).toEqual([['Letters'], ['letters']]);
    expect(screen.getByRole('tabpanel', { name: 'Letters' })).toBeTruthy();
    expect(screen.getByRole('tab', { name: 'Letters' }).getAttribute('aria-controls')).toBe('letters');
    expect(screen.getByRole('tablist', { name: 'Parts' })).toBeTruthy();
  });

  it('are moved through by the arrows, Home and End, as a ring, with one of them in the tab order', async () => {
    show();
    await userEvent.tab();
    const keys = ['{ArrowRight}', '{ArrowRight}', '{ArrowRight}', '{ArrowLeft}', '{Home}', '{End}'];
    const seen: (string | null | undefined)[] = [];
    for (const key of keys) {
      await userEvent.keyboard(key);
      expect(selected()).toEqual([document.activeElement?.textContent]);
      seen.push(document.activeElement?.textContent);
    }
    expect(seen).toEqual(['Papers', 'People', 'Letters', 'People', 'Letters', 'People']);
    expect(screen.getAllByRole('tab').map((tab) => tab.tabIndex)).toEqual([-1, -1, 0]);
    await userEvent.tab();
    expect(document.activeElement?.id).toBe('people');
  });

  it('are pressed, and leave their name in the address without a step in the history', async () => {
    show();
    const before = history.length;
    await userEvent.click(screen.getByRole('tab', { name: 'Papers' }));
    expect([shownPanels(), location.hash, history.length]).toEqual([['papers'], '#papers', before]);
  });

  it('open the part that the address names', () => {
    history.replaceState(null, '', '/security#people');
    show();
    expect(shownPanels()).toEqual(['people']);
  });

  it('are links to their parts, and hide none of them, before scripts run', () => {
    const markup = renderToStaticMarkup(<Tabs label="Parts" tabs={tabs} />);
    expect(markup).not.toMatch(/hidden|role="tab/);
    for (const { id, title } of tabs) {
      expect(markup).toContain(`href="#${id}"`);
      expect(markup).toContain(`<h2>${title}</h2>`);
    }
  });
});
