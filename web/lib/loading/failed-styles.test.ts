import { afterEach, expect, it, vi } from 'vitest';
import { reloadFailedStyles } from './failed-styles.ts';

const links = () => [...document.querySelectorAll('link')];

afterEach(() => {
  vi.useRealTimers();
  document.head.innerHTML = '';
});

it('a stylesheet that could not be fetched is asked for again, and no other', () => {
  vi.useFakeTimers();
  reloadFailedStyles();
  document.head.innerHTML =
    '<link rel="stylesheet" href="/assets/landing-1.css"><link rel="stylesheet" href="/assets/plans-1.css">';
  const [lost, loaded] = links();
  const payload = new Error(`Unable to preload CSS for ${location.origin}/assets/landing-1.css`);
  dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload }));
  const [second, same] = links();
  expect([second?.href, second === lost, same === loaded]).toEqual([lost?.href, false, true]);
  // Until it comes.
  second?.dispatchEvent(new Event('error'));
  vi.advanceTimersByTime(5_000);
  expect([links()[0]?.href, links()[0] === second, links().length]).toEqual([lost?.href, false, 2]);
});
