import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onFirstInterest } from '#web/lib/loading/first-interest.ts';

let root: HTMLElement;
let loads: number;
let finish: () => void;

const pressed: string[] = [];
const element = (id: string) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
};

beforeEach(() => {
  document.body.innerHTML = '<div id="root"><p id="words">Words</p><a id="link" href="/login">Sign In</a></div>';
  root = element('root');
  loads = 0;
  onFirstInterest(root, () => {
    loads += 1;
    return new Promise<void>((resolve) => {
      finish = () => {
        // Effect of hydration: from here on, the page handles the press.
        root.addEventListener('click', (event) => {
          event.preventDefault();
          pressed.push((event.target as HTMLElement).id);
        });
        resolve();
      };
    });
  });
});

afterEach(() => {
  document.body.innerHTML = '';
  pressed.length = 0;
});

describe('a page that is ready to read', () => {
  it('loads nothing for a reader', async () => {
    await userEvent.hover(element('words'));
    await userEvent.click(element('words'));
    expect(loads).toBe(0);
  });

  it('loads once, when the pointer reaches a link', async () => {
    await userEvent.hover(element('link'));
    await userEvent.hover(element('words'));
    await userEvent.hover(element('link'));
    expect(loads).toBe(1);
  });

  it('loads when the keyboard reaches a link', async () => {
    await userEvent.tab();
    expect(document.activeElement?.id).toBe('link');
    expect(loads).toBe(1);
  });

  it('keeps a press that came early, and hands it on once', async () => {
    await userEvent.click(element('link'));
    expect(pressed).toEqual([]);
    finish();
    await new Promise((resolve) => setTimeout(resolve));
    expect(pressed).toEqual(['link']);
    await userEvent.click(element('link'));
    expect([pressed, loads]).toEqual([['link', 'link'], 1]);
  });
});
