import { expect, it } from 'vitest';
import { forgetFailedStyles } from './failed-styles.ts';

it('only the stylesheet that could not be fetched is asked for again', () => {
  forgetFailedStyles();
  document.head.innerHTML =
    '<link rel="stylesheet" href="/assets/landing-1.css"><link rel="stylesheet" href="/assets/plans-1.css">';
  const payload = new Error(`Unable to preload CSS for ${location.origin}/assets/landing-1.css`);
  dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload }));
  const left = [...document.querySelectorAll('link')].map((link) => link.getAttribute('href'));
  expect(left).toEqual(['/assets/plans-1.css']);
  document.head.innerHTML = '';
});
